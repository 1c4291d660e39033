import { create, toJson } from '@bufbuild/protobuf';
import { AgentSpecSchema, ResourceSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { rebasedSpec, templateSpec } from './rebase.ts';
import { countSessions } from './session-counts.ts';

describe('rebasedSpec', () => {
  const own = create(AgentSpecSchema, {
    systemPrompt: 'mine',
    postHistoryPrompt: 'end',
    mcpServerRefs: ['a', 'b'],
    runtime: { kind: 'native' },
  });
  const template = templateSpec('{"system_prompt":"theirs","mcpServerRefs":["c"],"runtime":{"acp":{"cwd":"/w"}}}');

  it('takes the fields of the template and leaves those that only the agent has', () => {
    expect(toJson(AgentSpecSchema, rebasedSpec(own, template, new Set()))).toEqual({
      systemPrompt: 'theirs',
      postHistoryPrompt: 'end',
      mcpServerRefs: ['c'],
      runtime: { kind: 'native', acp: { cwd: '/w' } },
    });
  });

  it('keeps what is to be kept', () => {
    expect(rebasedSpec(own, template, new Set(['systemPrompt']))).toMatchObject({
      systemPrompt: 'mine',
      mcpServerRefs: ['c'],
    });
  });

  it('reads an empty template', () => {
    expect(templateSpec('')).toEqual({});
  });
});

describe('countSessions', () => {
  it('counts by agent and keeps the newest activity', () => {
    const session = (agent: string, lastActive: bigint) =>
      create(ResourceSchema, {
        metadata: { namespace: 'shop' },
        spec: { kind: { case: 'session', value: { agent } } },
        status: { kind: { case: 'session', value: { lastActive } } },
      });
    expect([...countSessions([session('a', 2n), session('a', 5n), session('b', 0n), session('a', 3n)])]).toEqual([
      ['shop/a', { count: 3, lastActive: 5n }],
      ['shop/b', { count: 1, lastActive: 0n }],
    ]);
  });
});
