import { create } from '@bufbuild/protobuf';
import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { checkAgentSpec, emptyAgentSpec, fillAgentDefaults } from './agent-rules.ts';

const spec = (init: object): AgentSpec => create(AgentSpecSchema, init as never);
const faults = (init: object): string[] =>
  checkAgentSpec(spec(init), (text) => (text === 'bad' ? [{ line: 2, column: 3, message: 'no' }] : [])).map(
    ({ field, reason, description }) =>
      `${field} ${reason === 'FIELD_INVALID' ? '' : `${reason} ${description}`}`.trim(),
  );
const model = (init: object | undefined): string[] =>
  faults({ modelPolicy: { profiles: [{ name: 'p', ...(init === undefined ? {} : { model: init }) }] } });

/** One more than an agent may have. */
const many = <Item>(make: (name: string) => Item): Item[] =>
  Array.from({ length: 1_001 }, (_item, index) => make(`n${index}`));

describe('a spec of an agent', () => {
  it('may be empty, and may name everything', () => {
    expect(checkAgentSpec(emptyAgentSpec(), () => [])).toEqual([]);
    expect(
      faults({
        modelPolicy: {
          profiles: [
            { name: 'a', model: { name: 'm', temperature: 0 } },
            { name: 'b', model: { name: 'm' } },
          ],
        },
        features: [{ name: 'x' }, { name: 'y', type: 'knob' }],
        mcpServerRefs: ['a', 'b:c'],
        systemPrompt: 'fine',
        a2a: { connections: [{ name: 'c', target: { internal: { agent: 'a' } } }, { name: 'd' }] },
        runtime: { kind: 'acp', acp: { harnessRef: 'demo', permissionPolicy: { default: 'ask', terminal: 'deny' } } },
      }),
    ).toEqual([]);
  });

  it.each([
    [undefined, ['spec.modelPolicy.profiles[0].model.name']],
    [{ name: '' }, ['spec.modelPolicy.profiles[0].model.name']],
    [
      { name: '', temperature: 3 },
      ['spec.modelPolicy.profiles[0].model.name', 'spec.modelPolicy.profiles[0].model.temperature'],
    ],
    [{ name: 'm', temperature: 2.1 }, ['spec.modelPolicy.profiles[0].model.temperature']],
    [{ name: 'm', temperature: -0.1 }, ['spec.modelPolicy.profiles[0].model.temperature']],
    [{ name: 'm', temperature: Number.NaN }, ['spec.modelPolicy.profiles[0].model.temperature']],
    [{ name: 'm', thinking: { effort: 'xhigh' } }, []],
    [{ name: 'm', thinking: { effort: 'most' } }, ['spec.modelPolicy.profiles[0].model.thinking.effort']],
  ])('with model %o has faults %o', (init, expected) => {
    expect(model(init)).toEqual(expected);
  });

  it.each([
    [{ features: [{ name: '' }] }, ['spec.features[0].name']],
    [{ features: many((name) => ({ name })) }, ['spec.features']],
    [{ mcpServerRefs: many((name) => name) }, ['spec.mcpServerRefs']],
    [{ a2a: { connections: many((name) => ({ name })) } }, ['spec.a2a.connections']],
    [{ features: [{ name: 'x' }, { name: 'x' }] }, ['spec.features[1].name']],
    [{ mcpServerRefs: ['a/b'] }, ['spec.mcpServerRefs[0]']],
    [{ a2a: { connections: [{ name: '' }] } }, ['spec.a2a.connections[0].name']],
    [{ a2a: { connections: [{ name: 'c' }, { name: 'c' }] } }, ['spec.a2a.connections[1].name']],
    [
      { a2a: { connections: [{ name: 'c', target: { external: { agentCardUrl: 'not a url' } } }] } },
      ['spec.a2a.connections[0].target.external.agentCardUrl'],
    ],
    [
      { a2a: { connections: [{ name: 'c', target: { external: { agentCardUrl: 'ftp://host/card' } } }] } },
      ['spec.a2a.connections[0].target.external.agentCardUrl'],
    ],
    [{ a2a: { connections: [{ name: 'c', target: { external: { agentCardUrl: 'https://host/card' } } }] } }, []],
    [{ a2a: { connections: [{ name: 'c', target: { external: {} } }] } }, []],
    [{ runtime: { kind: 'vm' } }, ['spec.runtime.kind']],
    [{ runtime: { kind: 'acp' } }, ['spec.runtime.acp']],
    [{ runtime: { kind: 'acp', acp: {} } }, ['spec.runtime.acp']],
    [
      { runtime: { kind: 'acp', acp: { command: 'x', env: Object.fromEntries(many((name) => [name, ''])) } } },
      ['spec.runtime.acp.env'],
    ],
    [{ runtime: { kind: 'native' } }, []],
    [{ postHistoryPrompt: 'bad' }, ['spec.postHistoryPrompt TEMPLATE_INVALID line 2, column 3: no']],
  ])('%o has faults %o', (init, expected) => {
    expect(faults(init)).toEqual(expected);
  });

  it('has thinking on when one of its options is set', () => {
    const enabled = (thinking: object | undefined): boolean | undefined => {
      const filled = fillAgentDefaults(
        spec({
          modelPolicy: {
            profiles: [{ name: 'a', model: { name: 'm', ...(thinking ? { thinking } : {}) } }, { name: 'b' }],
          },
        }),
      );
      return filled.modelPolicy?.profiles[0]?.model?.thinking?.enabled;
    };
    expect([enabled({ effort: 'low' }), enabled({ budgetTokens: 0 })]).toEqual([true, true]);
    expect([enabled({}), enabled(undefined), enabled({ enabled: false, effort: 'low' })]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    const untouched = emptyAgentSpec();
    expect(fillAgentDefaults(untouched)).toBe(untouched);
  });
});
