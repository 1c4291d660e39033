import { create } from '@bufbuild/protobuf';
import { AgentSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { agentValues, differences, overridesFor, sessionValues } from './tried-values.ts';

const profiles = [
  { name: 'cheap', model: { provider: 'demo', name: 'small' } },
  { name: 'default', model: { provider: 'demo', name: 'echo', temperature: Math.fround(0.7) } },
];
const spec = create(AgentSpecSchema, { systemPrompt: 'Be kind.', modelPolicy: { profiles } });
const agent = { model: 'demo/echo', temperature: '0.7', systemPrompt: 'Be kind.' };

describe('values to try', () => {
  it('begin with those of the agent, and of the session where it has its own', () => {
    expect(agentValues(spec)).toEqual(agent);
    expect(agentValues(undefined)).toEqual({ model: '', temperature: '', systemPrompt: '' });
    expect(sessionValues(agent, undefined)).toEqual(agent);
    expect(sessionValues(agent, { model: 'other', temperature: 0, systemPrompt: '' })).toEqual({
      model: 'other',
      temperature: '0',
      systemPrompt: '',
    });
  });

  it('become overrides where they differ, with a provider up to the first slash', () => {
    expect(overridesFor(agent, agent)).toEqual({});
    expect(overridesFor({ ...agent, model: 'demo/a/b' }, agent)).toEqual({ provider: 'demo', model: 'a/b' });
    expect(overridesFor({ ...agent, model: ' other ' }, agent)).toEqual({ model: 'other' });
    expect(overridesFor({ model: '', temperature: ' ', systemPrompt: '' }, agent)).toEqual({ systemPrompt: '' });
    expect(overridesFor({ ...agent, temperature: '0' }, agent)).toEqual({ temperature: 0 });
  });

  it('are shown as what differs from the agent', () => {
    expect(differences(agent, undefined)).toEqual([]);
    expect(differences(agent, { provider: 'demo', model: 'echo', temperature: 1 })).toEqual([
      { what: 'temperature', is: '1', was: '0.7' },
    ]);
    expect(differences(agent, { systemPrompt: 'Be brief.' })).toEqual([
      { what: 'systemPrompt', is: 'Be brief.', was: 'Be kind.' },
    ]);
  });
});
