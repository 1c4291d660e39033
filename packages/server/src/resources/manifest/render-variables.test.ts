import { describe, expect, it } from 'vitest';
import type { JsonMap } from '../canonical-json.ts';
import { fillFromFiles, nodeJson, parseManifests, renderVariables } from './index.ts';

const vars: JsonMap = { n: 3, on: true, text: 'a: [b', list: [1, { x: 'y' }], deep: { name: 'inner' } };
const files = new Map([
  ['a.md', new TextEncoder().encode('# A')],
  ['braces.md', new TextEncoder().encode('{{ vars.n }} {{ nobody }}')],
  ['bytes', Uint8Array.of(0xff, 0x00, 0xfe)],
]);
const read = (text: string, namespace = 'default') =>
  parseManifests(text, {
    namespace,
    isNamespaceFixed: namespace !== 'default',
    prepare: (node, report) => {
      const texts = {
        file: (path: string) => files.get(path),
        variable: (name: string) => (name === 'KEY' ? 'k' : undefined),
      };
      return fillFromFiles(renderVariables(node, vars, report), texts, report);
    },
  });
const findings = (text: string, namespace?: string): string[] =>
  read(text, namespace).findings.map(
    ({ line, column, field, description, reason }) => `${line}:${column} ${field}: ${description} (${reason})`,
  );
const json = (text: string): unknown => {
  expect(findings(text)).toEqual([]);
  return read(text).documents.map(({ node }) => nodeJson(node))[0];
};
const workflow = (value: string): string => `kind: Workflow\nmetadata: {name: w}\nspec: {concurrency: ${value}}\n`;

describe('variables', () => {
  it('keep their type where they stand alone, and are text inside of text', () => {
    expect(json(workflow('"{{ vars.n }}"'))).toMatchObject({ spec: { concurrency: 3 } });
    const text =
      'kind: Channel\nmetadata: {name: "c-{{ vars.n }}", labels: {a: "{{ vars.deep.name | upper }}"}}\nspec: {title: "{{ vars.text }}"}\n';
    expect(json(text)).toMatchObject({ metadata: { name: 'c-3', labels: { a: 'INNER' } }, spec: { title: 'a: [b' } });
    expect(
      json('apiVersion: a.b/v1\nkind: W\nmetadata: {name: x}\nspec: {a: "{{ vars.list }}", b: ["{{ vars.on }}"]}'),
    ).toMatchObject({
      spec: { a: [1, { x: 'y' }], b: [true] },
    });
  });

  it('that are not defined, or mixed with those of another phase, are refused with their place', () => {
    expect(findings(workflow('"{{ vars.no }}"'))).toContain('3:21 spec.concurrency: vars.no is not defined (VARIABLE)');
    expect(json(workflow('"{{ vars.no | default: 7 }}"'))).toMatchObject({ spec: { concurrency: 7 } });
    expect(
      findings('kind: Agent\nmetadata: {name: a}\nspec: {systemPrompt: "{{ vars.no | default: agent.name }}"}'),
    ).toEqual(['3:22 spec.systemPrompt: one expression may not mix variables of two phases (VARIABLE)']);
    expect(findings('kind: Channel\nmetadata: {name: a}\nspec: {title: "{{ nobody }}"}')).toEqual([
      '3:15 spec.title: there is no variable nobody (VARIABLE)',
    ]);
  });

  it('of later phases stay, with their raw blocks', () => {
    const prompt = '{{ agent.name }} {% raw %}{{ x }}{% endraw %} {{ vars.n }}';
    const text = `kind: Agent\nmetadata: {name: a, labels: {x: "{% raw %}{{{% endraw %}"}}\nspec: {systemPrompt: "${prompt}"}\n`;
    expect(json(text)).toMatchObject({
      metadata: { labels: { x: '{{' } },
      spec: { systemPrompt: '{{ agent.name }} {% raw %}{{ x }}{% endraw %} 3' },
    });
    const template =
      'kind: Template\nmetadata: {name: a}\nspec: {kind: Skill, spec: {description: "{{ namespace.leaf }} {% raw %}{{{% endraw %}"}}\n';
    expect(json(template)).toMatchObject({
      spec: { spec: { description: '{{ namespace.leaf }} {% raw %}{{{% endraw %}' } },
    });
  });
});

describe('texts of files and of the environment', () => {
  it('stand in the fields they are for', () => {
    expect(json('kind: Knowledge\nspec: {path: x, contentFromFile: a.md}')).toMatchObject({ spec: { content: '# A' } });
    expect(json('kind: Skill\nmetadata: {name: s}\nspec: {instructionsFromFile: a.md}')).toMatchObject({
      spec: { instructions: '# A' },
    });
    const secret =
      'kind: Secret\nmetadata: {name: s}\nspec: {type: t, stringData: {a: b}, fromFile: {f: a.md}, fromEnv: {e: KEY}}';
    expect(json(secret)).toMatchObject({ spec: { type: 't', stringData: { a: 'b', f: '# A', e: 'k' } } });
    expect(json('kind: Secret\nmetadata: {name: s}\nspec: {fromEnv: {e: KEY}}')).toMatchObject({
      spec: { stringData: { e: 'k' } },
    });
    expect(json('kind: Secret\nmetadata: {name: s}\nspec: {type: t}')).toMatchObject({ spec: { type: 't' } });
    expect(json('kind: Channel\nmetadata: {name: s}')).toEqual({ kind: 'Channel', metadata: { name: 's' } });
  });

  it('are taken as they are, braces too, from files that variables name', () => {
    const content = '{{ vars.n }} {{ nobody }}';
    expect(json('kind: Knowledge\nspec: {path: x, contentFromFile: braces.md}')).toMatchObject({ spec: { content } });
    expect(
      json('kind: Knowledge\nspec: {path: x, contentFromFile: "{{ vars.md | default: \'a\' }}.md"}'),
    ).toMatchObject({ spec: { content: '# A' } });
    expect(json('kind: Secret\nmetadata: {name: s}\nspec: {fromFile: {f: braces.md}}')).toMatchObject({
      spec: { stringData: { f: content } },
    });
  });

  it('of a Secret may be bytes, and stand for the values of their keys', () => {
    expect(
      json(
        'kind: Secret\nmetadata: {name: s}\nspec: {data: {f: YQ==, g: YQ==}, string_data: {f: b, e: b}, fromFile: {f: bytes}, fromEnv: {e: KEY}}',
      ),
    ).toEqual({
      kind: 'Secret',
      metadata: { name: 's' },
      spec: { data: { g: 'YQ==', f: '/wD+' }, stringData: { e: 'k' } },
    });
    expect(findings('kind: Secret\nmetadata: {name: s}\nspec: {data: [x], fromFile: {f: a.md}}')).toEqual([
      '3:14 spec.data: must be a map (FIELD_INVALID)',
    ]);
    expect(findings('kind: Skill\nmetadata: {name: s}\nspec: {instructionsFromFile: bytes}')).toEqual([
      '3:30 spec.instructionsFromFile: is not UTF-8 text (FIELD_INVALID)',
    ]);
  });

  it('are looked for by the names of their kind, and by no other', () => {
    const raw =
      'apiVersion: a.b/v1\nkind: W\nmetadata: {name: x}\nspec: {constructor: a, toString: [b], contentFromFile: c}';
    expect(json(raw)).toMatchObject({ spec: { constructor: 'a', toString: ['b'], contentFromFile: 'c' } });
  });

  it('that are not there are refused', () => {
    expect(findings('kind: Skill\nmetadata: {name: s}\nspec: {instructionsFromFile: b.md}')).toEqual([
      '3:30 spec.instructionsFromFile: there is no b.md (FILE_MISSING)',
    ]);
    expect(findings('kind: Skill\nmetadata: {name: s}\nspec: {instructionsFromFile: [b]}')).toEqual([
      '3:30 spec.instructionsFromFile: there is no name (FILE_MISSING)',
    ]);
    expect(findings('kind: Secret\nmetadata: {name: s}\nspec: {fromFile: [a], fromEnv: {x: NONE}}')).toEqual([
      '3:18 spec.fromFile: must be a map (FIELD_INVALID)',
      '3:36 spec.fromEnv[x]: there is no NONE (FILE_MISSING)',
    ]);
    expect(findings('- x')).toHaveLength(1);
  });
});

it('a namespace that was asked for admits no other', () => {
  expect(findings('kind: Channel\nmetadata: {name: a, namespace: b}', 'c')).toEqual([
    '2:21 metadata.namespace: is b, but c was asked for (NAMESPACE_MISMATCH)',
  ]);
  expect(findings('kind: Channel\nmetadata: {name: a, namespace: c}', 'c')).toEqual([]);
});
