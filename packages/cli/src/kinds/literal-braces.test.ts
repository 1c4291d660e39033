import { expect, it } from 'vitest';
import { manifestOf } from './index.ts';
import { columnHeadings } from './kind-columns.ts';

/** What apply reads of a manifest that `get -o manifest` printed. */
const readBack = async (kind: string, spec: object): Promise<unknown> => {
  const { nodeJson, parseManifests, renderVariables, withoutDefaults } = await import('@svc/server/manifest');
  const text = JSON.stringify(
    manifestOf({ apiVersion: 'svc/v1', kind, metadata: { name: 'x' }, spec: spec as never }, withoutDefaults),
  );
  const { documents, findings } = parseManifests(text, {
    namespace: 'default',
    prepare: (node, report) => renderVariables(node, {}, report),
  });
  expect(findings).toEqual([]);
  return (nodeJson(documents[0]!.node) as { readonly spec: unknown }).spec;
};

it('of a custom kind of any name is printed', async () => {
  const { withoutDefaults } = await import('@svc/server/manifest');
  const json = { apiVersion: 'example.org/v1', kind: 'constructor', metadata: { name: 'x' }, spec: { a: '{{ b }}' } };
  expect(manifestOf(json, withoutDefaults)).toEqual({ ...json, spec: { a: '{% raw %}{{ b }}{% endraw %}' } });
  expect(columnHeadings('constructor')).toEqual([]);
});

it.each([
  ['Skill', { description: 'writes {{ liquid }} and {% if %}', instructions: 'plain' }],
  ['Agent', { systemPrompt: '{{ agent.name }} {% raw %}{{ x }}{% endraw %}', mcpServerRefs: ['{{a}}'] }],
  ['Template', { kind: 'Skill', specJson: '{"description":"{{ namespace.leaf }} {% raw %}{{{% endraw %}"}' }],
  ['Channel', { title: 'a', metadata: { k: '{{ vars.x }}' } }],
])('a printed %s is read back as it is', async (kind, spec) => {
  expect(await readBack(kind, spec)).toEqual(spec);
});
