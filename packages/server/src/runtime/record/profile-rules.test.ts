import { create } from '@bufbuild/protobuf';
import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { knobsOf, profilesInOrder } from './profile-rules.ts';

const fallback = { provider: 'demo', model: 'echo' };
const agent = (init: Parameters<typeof create<typeof AgentSpecSchema>>[1]): AgentSpec => create(AgentSpecSchema, init);
const profile = (name: string, model = {}) => ({ name, model: { provider: '', name: `m-${name}`, ...model } });
const names = (spec: AgentSpec, chosen: string): string[] =>
  profilesInOrder(spec, chosen, fallback).map(({ name }) => name);

describe('profilesInOrder', () => {
  it('calls the configured default for an agent without profiles', () => {
    expect(profilesInOrder(agent({}), '', fallback)).toEqual([{ name: '', target: fallback }]);
    expect(profilesInOrder(agent({ modelPolicy: { profiles: [{ name: 'bare' }] } }), '', fallback)).toEqual([
      { name: 'bare', target: fallback },
    ]);
  });

  it('begins with the chosen profile, else `default`, else the first, and never fails over to `compaction`', () => {
    const spec = agent({ modelPolicy: { profiles: ['a', 'default', 'compaction', 'b'].map((name) => profile(name)) } });
    expect(names(spec, 'b')).toEqual(['b', 'a', 'default']);
    expect(names(spec, '')).toEqual(['default', 'a', 'b']);
    expect(names(agent({ modelPolicy: { profiles: [profile('x'), profile('y')] } }), 'gone')).toEqual(['x', 'y']);
  });

  it('fills an empty provider and keeps temperature and thinking as given', () => {
    const spec = agent({
      modelPolicy: {
        profiles: [
          profile('cold', { temperature: 0, thinking: { effort: 'low' } }),
          profile('deep', { provider: 'other', thinking: { enabled: false, budgetTokens: 7 } }),
          profile('plain', { thinking: {} }),
        ],
      },
    });
    expect(profilesInOrder(spec, 'cold', fallback)).toEqual([
      {
        name: 'cold',
        target: { provider: 'demo', model: 'm-cold' },
        temperature: 0,
        thinking: { enabled: true, effort: 'low' },
      },
      { name: 'deep', target: { provider: 'other', model: 'm-deep' }, thinking: { enabled: false, budgetTokens: 7 } },
      { name: 'plain', target: { provider: 'demo', model: 'm-plain' } },
    ]);
  });
});

describe('knobsOf', () => {
  const limits = { parallelTools: 8, maxSteps: 25 };
  const knobs = (...features: [type: string, name: string][]) =>
    knobsOf(agent({ features: features.map(([type, name]) => ({ type, name })) }), limits);

  it('narrows limits only', () => {
    expect(knobs()).toEqual({ ...limits, compaction: true, hideReasoning: false });
    expect(knobs(['knob', 'parallel_tools=off'], ['knob', 'max_steps=3'])).toMatchObject({
      parallelTools: 1,
      maxSteps: 3,
    });
    expect(knobs(['knob', 'max_steps=99'])).toMatchObject({ maxSteps: 25 });
    expect(knobs(['knob', 'max_steps=0'], ['toolset', 'parallel_tools=off'], ['knob', 'unknown'])).toMatchObject(
      limits,
    );
    expect(knobs(['knob', 'compaction=off'], ['knob', 'reasoning=hide'])).toMatchObject({
      compaction: false,
      hideReasoning: true,
    });
  });
});
