import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { promptCheck } from './index.ts';
import { createPromptRenderer, type TurnValues } from './prompt-renderer.ts';

const values: TurnValues = {
  nowMicros: Date.UTC(2026, 0, 2, 3, 4, 5, 678) * 1000,
  agent: {
    name: 'Helper Bot',
    namespace: 'acme:sales',
    labels: { team: 'blue', 'app.kubernetes.io/name': 'crm', size: 'XL' },
  },
  session: { id: 's-1', labels: { note: '{{ agent.name }}' } },
  namespaceLabels: { tier: ' Gold ' },
  channel: 'support',
  sender: 'Zoë "Z"',
  model: 'echo',
};

const render = createPromptRenderer();
const shown = (text: string): string => render(text, values);

/** `line:column message` of every violation. */
const problems = (text: string): readonly string[] =>
  promptCheck(text).map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('rendering a prompt', () => {
  it('leaves text without expressions alone', () => {
    expect(shown('Plain { text } with % and }}')).toBe('Plain { text } with % and }}');
    expect(problems('Plain { text } with % and }}')).toEqual([]);
  });

  it('fills in every variable of the contract', () => {
    const all = [
      'now',
      'date',
      'agent.name',
      'agent.namespace',
      'agent.labels.team',
      'session.id',
      'namespace.labels.tier',
      'channel.name',
      'sender.name',
      'model.name',
    ];
    const text = all.map((name) => `{{ ${name} }}`).join('|');
    expect(problems(text)).toEqual([]);
    expect(shown(text)).toBe(
      '2026-01-02T03:04:05Z|2026-01-02|Helper Bot|acme:sales|blue|s-1| Gold |support|Zoë "Z"|echo',
    );
  });

  it('applies filters from left to right', () => {
    expect(shown('{{ agent.name | upper }}')).toBe('HELPER BOT');
    expect(shown('{{ namespace.labels.tier | trim | lower }}')).toBe('gold');
    expect(shown('{{ sender.name | json }}')).toBe('"Zoë \\"Z\\""');
    expect(shown('{{ sender.name | slug }}')).toBe('zoe-z');
    expect(shown('{{ session.labels.none | default: "no one" | upper }}')).toBe('NO ONE');
    expect(shown("{{ agent.labels.team | default: 'red' }}{{ agent.labels.none | default: 7 }}")).toBe('blue7');
  });

  it('renders missing labels empty and reads keys with dots and slashes', () => {
    expect(shown('[{{ agent.labels.none }}]')).toBe('[]');
    expect(shown('{{ agent.labels["app.kubernetes.io/name"] }}')).toBe('crm');
    expect(shown('{{ agent.labels.size }}{{ session.labels.size }}{{ agent.labels.constructor }}')).toBe('XL');
  });

  it('never renders a value again', () => {
    expect(shown('{{ session.labels.note }}')).toBe('{{ agent.name }}');
  });

  it('writes raw blocks literally', () => {
    expect(shown('{% raw %}{{ agent.name }} {% if %}{% endraw %} {{ model.name }}')).toBe(
      '{{ agent.name }} {% if %} echo',
    );
  });

  it('renders each prompt of a long list right, whatever is kept', () => {
    const texts = Array.from({ length: 300 }, (_, n) => `${n} {{ model.name }}`);
    expect(texts.map(shown)).toEqual(texts.map((_, n) => `${n} echo`));
    expect(shown('0 {{ model.name }}')).toBe('0 echo');
  });

  it('stops at a stored prompt that the check would refuse', () => {
    expect(() => shown('{{ nope }}')).toThrow('there is no variable nope');
  });
});

describe('checking a prompt', () => {
  it('names unknown variables, filters and tags with their place', () => {
    expect(problems('Hello\n  {{ user.name }} and {{ agent.name | shout }}\n{% if x %}{% endif %}')).toEqual([
      '2:6 there is no variable user.name',
      '2:39 there is no filter "shout"',
      '3:1 there are no tags but raw: "if"',
      '3:11 there are no tags but raw: "endif"',
    ]);
  });

  it.each([
    ['{{ agent }}', '1:4 there is no variable agent'],
    ['{{ agent.labels }}', '1:4 there is no variable agent.labels'],
    ['{{ agent.name.size }}', '1:4 there is no variable agent.name.size'],
    ['{{ agent.labels[session.id] }}', '1:4 there is no variable agent.labels[session.id]'],
    ['{{ "text" }}', '1:1 an expression is one variable with filters'],
    ['{{ 7 }}', '1:1 an expression is one variable with filters'],
    ['{{ now and date }}', '1:1 an expression is one variable with filters'],
    ['{{- now }}', '1:1 expressions are written {{ }}, without hyphens'],
    ['{{ now | upper: 1 }}', '1:10 upper takes no argument'],
    ['{{ now | default }}', '1:10 default takes one text or number'],
    ['{{ now | default: date }}', '1:10 default takes one text or number'],
    ['{{ now | default: 1, 2 }}', '1:10 default takes one text or number'],
    ['{% include "file" %}', '1:1 there are no tags but raw: "include"'],
  ])('refuses %s', (text, problem) => {
    expect(problems(text)).toContain(problem);
  });

  it.each([
    'a {{ now',
    'a {% raw %} b',
    '{% raw',
    '{{ }}',
    '{{ now | }}',
    '{{ now || upper }}',
    '{{ | upper }}',
    '{{ now date }}',
    '{{ now | upper lower }}',
    '{{ now.. }}',
    '{{ agent.labels[ }}',
  ])('refuses the broken %s at some place', (text) => {
    const [first] = promptCheck(text);
    expect(first?.line).toBe(1);
    expect(first?.column).toBeGreaterThan(0);
    expect(first?.message).not.toBe('');
  });

  it('reports at most 20 violations', () => {
    expect(problems('{{ x }}'.repeat(50))).toHaveLength(20);
  });

  it('never throws, and accepts exactly what renders', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '{%',
      '%}',
      ' raw ',
      ' endraw ',
      ' now ',
      'agent',
      '.',
      'labels',
      'x',
      '|',
      'upper',
      'default',
      ':',
      '"',
      "'",
      '[',
      ']',
      '-',
      '(',
      ')',
      '\n',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        if (promptCheck(text).length === 0) expect(typeof shown(text)).toBe('string');
        else expect(() => shown(text)).toThrow('a stored prompt is valid');
      }),
      { numRuns: 2000 },
    );
  });
});
