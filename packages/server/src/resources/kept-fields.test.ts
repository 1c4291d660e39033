import { AgentSpecSchema, SandboxStatusSchema, UsagePolicySpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import type { JsonMap } from './canonical-json.ts';
import { keepUnknown } from './kept-fields.ts';
import { kinds } from './kinds.ts';

const agent = (stored: object, written: object): JsonMap =>
  keepUnknown(AgentSpecSchema, stored as JsonMap, written as JsonMap);

describe('what a newer release wrote', () => {
  it('stays beside what is written now, also in nested messages', () => {
    const stored = {
      newer: { a: 1 },
      systemPrompt: 'old',
      runtime: { kind: 'llm', newer: [1], acp: { cwd: '/', newer: 0 } },
    };
    expect(agent(stored, { systemPrompt: 'new', runtime: { kind: 'acp', acp: {} } })).toEqual({
      newer: { a: 1 },
      systemPrompt: 'new',
      runtime: { kind: 'acp', newer: [1], acp: { newer: 0 } },
    });
  });

  it('goes with the message it stood in, and gives way to what is written', () => {
    expect(agent({ runtime: { newer: 1 } }, { systemPrompt: 'x' })).toEqual({ systemPrompt: 'x' });
    expect(agent({ newer: 1 }, { newer: 2 })).toEqual({ newer: 2 });
    expect(agent({ runtime: { newer: 1 } }, { runtime: 'odd' })).toEqual({ runtime: 'odd' });
  });

  it('stays with the items of a list that are otherwise the same, wherever they stand', () => {
    const connections = [
      { name: 'a', newer: 1, target: { internal: { agent: 'x', newer: 2 } } },
      { name: 'b', newer: 3 },
      { name: 'c' },
      'odd',
    ];
    const written = [
      { name: 'c' },
      { name: 'b', description: 'changed' },
      { name: 'a', target: { internal: { agent: 'x' } } },
    ];
    expect(agent({ a2a: { connections } }, { a2a: { connections: written } })).toEqual({
      a2a: { connections: [written[0], written[1], connections[0]] },
    });
    const skills = [{ id: 's', tags: ['t'] }];
    expect(agent({ a2a: { connections: 'odd' } }, { a2a: { connections: written } })).toEqual({
      a2a: { connections: written },
    });
    expect(agent({ a2a: { agentCard: { skills } } }, { a2a: { agentCard: { skills: [] } } })).toEqual({
      a2a: { agentCard: { skills: [] } },
    });
  });

  it('is nothing where this release knows everything', () => {
    const written = {
      systemPrompt: 'x',
      features: [{ name: 'a' }],
      capabilities: { c: [{ any: 1 }] },
      modelPolicy: { profiles: [] },
    };
    expect(agent({ ...written, system_prompt: 'by its other name' }, written)).toBe(written);
    expect(agent({ runtime: { acp: { env: { A: 'x' } } } }, written)).toBe(written);
    const policy = { hard: [{ selector: { agent: 'a' }, metric: 'm', max: '1' }] } as JsonMap;
    expect(keepUnknown(UsagePolicySpecSchema, policy, policy)).toBe(policy);
    const status = { processes: [{ id: 'p', args: ['x'] }], lease: { token: 't' } } as JsonMap;
    expect(keepUnknown(SandboxStatusSchema, status, status)).toBe(status);
  });

  it.each(kinds.flatMap((row) => [row.spec, row.status]).map((desc) => [desc.typeName, desc] as const))(
    'stays in an empty %s',
    (_name, desc) => {
      expect(keepUnknown(desc, { newerThanThis: 1 }, {})).toEqual({ newerThanThis: 1 });
    },
  );
});
