import { create } from '@bufbuild/protobuf';
import { AgentSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import type { AgentRevision } from '../agent-revision.ts';
import { mergedOverrides, withOverrides } from './override-rules.ts';
import { profilesInOrder } from './profile-rules.ts';

const fallback = { provider: 'demo', model: 'echo' };
const agent = (init: Parameters<typeof create<typeof AgentSpecSchema>>[1]): AgentRevision => ({
  uid: 'u',
  generation: 3,
  namespace: 'default',
  name: 'helper',
  labels: {},
  deleting: false,
  notReady: '',
  spec: create(AgentSpecSchema, init),
});
const profiles = ['a', 'default', 'compaction'].map((name) => ({
  name,
  model: { provider: 'openai', name: `m-${name}`, temperature: 1, thinking: { effort: 'low' } },
}));
const full = agent({ systemPrompt: 'be kind', postHistoryPrompt: 'be brief', modelPolicy: { profiles } });
const called = (revision: AgentRevision, chosen = '') =>
  profilesInOrder(revision.spec, chosen, fallback).map(({ target, temperature }) => ({ ...target, temperature }));

describe('an agent in a session that overrides it', () => {
  it('is itself where nothing is overridden', () => {
    expect(withOverrides(full, undefined, fallback)).toBe(full);
  });

  it('calls the one model of the session, with the thinking of the profile that it replaces, and summarises as before', () => {
    const changed = withOverrides(full, { provider: 'demo', model: 'other' }, fallback);
    expect(called(changed)).toEqual([{ provider: 'demo', model: 'other', temperature: 1 }]);
    expect(called(changed, 'a')).toEqual([{ provider: 'demo', model: 'other', temperature: 1 }]);
    expect(changed.spec.modelPolicy?.profiles.map(({ name }) => name)).toEqual(['default', 'compaction']);
    expect(changed.spec.modelPolicy?.profiles[0]?.model?.thinking?.effort).toBe('low');
    expect(changed.spec.modelPolicy?.profiles[1]?.model?.name).toBe('m-compaction');
    expect(changed).not.toHaveProperty('promptOf');
  });

  it('uses the provider of the configuration for a model without one', () => {
    expect(called(withOverrides(full, { model: 'other', temperature: 0 }, fallback))).toEqual([
      { provider: 'demo', model: 'other', temperature: 0 },
    ]);
  });

  it('changes the temperature of all profiles, or of the model of an agent without any', () => {
    expect(called(withOverrides(full, { temperature: 0 }, fallback))).toEqual([
      { provider: 'openai', model: 'm-default', temperature: 0 },
      { provider: 'openai', model: 'm-a', temperature: 0 },
    ]);
    const bare = withOverrides(agent({}), { temperature: 0.5 }, fallback);
    expect(called(bare)).toEqual([{ provider: 'demo', model: 'echo', temperature: 0.5 }]);
    const nameless = agent({ modelPolicy: { profiles: [{ name: 'default' }] } });
    expect(called(withOverrides(nameless, { temperature: 2 }, fallback))).toEqual([
      { provider: 'demo', model: 'echo', temperature: 2 },
    ]);
  });

  it('says that the prompt is that of the session, also of an empty one, and leaves the rest of the agent', () => {
    const changed = withOverrides(full, { systemPrompt: '' }, fallback);
    expect([changed.spec.systemPrompt, changed.spec.postHistoryPrompt, changed.promptOf]).toEqual([
      '',
      'be brief',
      'session',
    ]);
    expect(changed.spec.modelPolicy?.profiles).toHaveLength(3);
    expect([changed.uid, changed.generation, full.spec.systemPrompt]).toEqual(['u', 3, 'be kind']);
  });
});

describe('overrides put over others', () => {
  it('replace what they name, a model together with its provider', () => {
    const before = { provider: 'openai', model: 'big', temperature: 1, systemPrompt: 'x' };
    expect(mergedOverrides(undefined, {})).toBeUndefined();
    expect(mergedOverrides(before, {})).toEqual(before);
    expect(mergedOverrides(before, { temperature: 0 })).toEqual({ ...before, temperature: 0 });
    expect(mergedOverrides(before, { model: 'small' })).toEqual({ model: 'small', temperature: 1, systemPrompt: 'x' });
  });
});
