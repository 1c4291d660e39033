import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonData } from '../canonical-json.ts';
import { parseText } from './expression-syntax.ts';
import {
  DEPLOYMENT_ROOTS,
  type ExpressionPath,
  hasExpressions,
  isDeploymentPath,
  isPrompt,
  LATER_ROOTS,
  mapTexts,
  renderText,
} from './index.ts';

const values: Readonly<Record<string, JsonData>> = {
  'namespace.name': 'acme:west',
  'namespace.leaf': 'west',
  'namespace.labels.title': ' Café 7 ',
  'namespace.labels.a/b.c': 'slashed',
  'namespace.labels.empty': '',
  'template.size': 3,
  'template.parts': { b: [1], a: null },
  'namespace.labels.braces': '{{ namespace.name }}',
};

const scope = {
  owns: DEPLOYMENT_ROOTS,
  passes: LATER_ROOTS,
  keepsRaw: false,
  resolve: (path: ExpressionPath) => values[path.join('.')],
};

const rendered = (text: string): JsonData => {
  const { value, problems } = renderText(text, scope);
  expect(problems).toEqual([]);
  return value;
};

describe('expressions', () => {
  it.each([
    ['plain', 'plain'],
    ['{ not } one }}', '{ not } one }}'],
    ['in {{ namespace.name }}!', 'in acme:west!'],
    ['{{namespace.leaf}}{{namespace.leaf|upper}}', 'westWEST'],
    ['{{ namespace.labels.title | trim | upper }}', 'CAFÉ 7'],
    ['{{ namespace.labels.title | slug }}', 'cafe-7'],
    ['{{ namespace.leaf | upper | lower }}', 'west'],
    ['{{ namespace.labels["a/b.c"] }}', 'slashed'],
    ["{{ namespace.labels['a/b.c'] }}", 'slashed'],
    ['{{ namespace.labels.gone | default: "x | y" }}', 'x | y'],
    ['{{ namespace.labels.empty | default: namespace.leaf | upper }}', 'WEST'],
    ['{{ namespace.labels.gone | default: 7 }}', 7],
    ['{{ namespace.labels.gone | upper | default: -1.5 }}', -1.5],
    ['{{ template.size }}', 3],
    ['{{ template.size | upper }}', '3'],
    ['size {{ template.size }} of {{ template.parts }}', 'size 3 of {"a":null,"b":[1]}'],
    ['{{ namespace.leaf | json }}', '"west"'],
    ['{% raw %}{{ x }}{% endraw %}-{{ namespace.leaf }}', '{{ x }}-west'],
    ['{{ namespace.labels.braces }}', '{{ namespace.name }}'],
    ['Hi {{ agent.name | upper }}', 'Hi {{ agent.name | upper }}'],
  ])('renders %s', (text, expected) => {
    expect(rendered(text)).toEqual(expected);
  });

  it.each([
    ['{{ namespace.labels.gone }}', 0, 'not defined'],
    ['ab {{ secret.key }}', 3, 'no variable secret.key'],
    ['{{ namespace.name | default: agent.name }}', 0, 'two phases'],
    ['{{ agent.name | default: deployment.name }}', 0, 'two phases'],
    ['{{ namespace.name | shout }}', 25, 'no filter shout'],
    ['{{ namespace.name | upper: 2 }}', 26, 'takes no argument'],
    ['{{ namespace.name | default }}', 28, 'default takes'],
    ['{{ namespace.name | default: }}', 29, 'default takes'],
    ['{{ namespace.name | }}', 20, 'filter name is missing'],
    ['{{ namespace.name', 17, 'does not end'],
    ['{{ namespace. }}', 13, 'one variable'],
    ['{{ namespace["x }}', 13, 'one variable'],
    ['{{ namespace["x" }}', 17, 'one variable'],
    ['{{ 1 + 1 }}', 3, 'one variable'],
    ['{{}}', 2, 'one variable'],
    ['{% if x %}', 0, 'no tags but raw'],
    ['{% raw %} x', 0, 'not closed'],
  ])('refuses %s at %i', (text, offset, message) => {
    expect(renderText(text, scope).problems).toEqual([{ offset, message: expect.stringContaining(message) }]);
  });

  it('keeps raw blocks closed for a phase that reads the text again', () => {
    const text = '{% raw %}{{ x }}{% endraw %} {{ agent.name }} {{ namespace.leaf }}';
    expect(renderText(text, { ...scope, keepsRaw: true }).value).toBe(
      '{% raw %}{{ x }}{% endraw %} {{ agent.name }} west',
    );
  });

  it('takes any text without an exception, and leaves text without braces alone', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[{}%| a-z."':\n\\[\]-]{0,40}$/), (text) => {
        const { value, problems } = renderText(text, scope);
        if (!hasExpressions(text)) expect({ value, problems }).toEqual({ value: text, problems: [] });
        for (const { offset } of parseText(text).problems) expect(offset).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it('reaches every text of a value with its place, never a key', () => {
    const seen: string[] = [];
    const value = { 'a/b': ['x', { '~': 'y' }], n: 1, z: null, '{{k}}': true };
    const result = mapTexts(value, (text, place) => {
      seen.push(`${place.pointer}=${text}`);
      return place.path.length;
    });
    expect(seen).toEqual(['/a~1b/0=x', '/a~1b/1/~0=y']);
    expect(result).toEqual({ 'a/b': [2, { '~': 3 }], n: 1, z: null, '{{k}}': true });
  });

  it('knows the variables of deployments and the texts that turns render', () => {
    const known = ['namespace.leaf', 'deployment.labels.x', 'template.annotations.a', 'template.name'];
    const unknown = ['namespace.labels', 'namespace.uid', 'namespace', 'agent.name', 'template.namespace'];
    expect(known.filter((path) => !isDeploymentPath(path.split('.')))).toEqual([]);
    expect(unknown.filter((path) => isDeploymentPath(path.split('.')))).toEqual([]);
    expect(isDeploymentPath([])).toBe(false);
    expect(isPrompt('Agent', ['systemPrompt'])).toBe(true);
    expect(isPrompt('Agent', ['runtime', 'systemPrompt'])).toBe(false);
    expect(isPrompt('Skill', ['systemPrompt'])).toBe(false);
  });
});
