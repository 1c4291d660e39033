import type { AgentSpec, Model, ModelProfile } from '@svc/api/resources';
import type { ModelTarget } from '../../models/contract.ts';
import type { AgentRevision } from '../agent-revision.ts';
import type { SessionOverrides } from './contract.ts';

/** Profile that summarises conversations; no override replaces it. */
const COMPACTION = 'compaction';
const DEFAULT = 'default';

/** Overrides of a session with others put over them; undefined when nothing is overridden. A model comes with its provider. */
export const mergedOverrides = (
  before: SessionOverrides | undefined,
  given: SessionOverrides,
): SessionOverrides | undefined => {
  const { provider: _provider, model: _model, ...rest } = before ?? {};
  const merged = { ...(given.model === undefined ? before : rest), ...given };
  return Object.keys(merged).length === 0 ? undefined : merged;
};

/** The agent as a session runs it that overrides parts of it. `fallback` is the model of agents without profiles. */
export const withOverrides = (
  agent: AgentRevision,
  overrides: SessionOverrides | undefined,
  fallback: ModelTarget,
): AgentRevision => {
  if (overrides === undefined) return agent;
  const { systemPrompt } = overrides;
  const profiles = overriddenProfiles(agent.spec, overrides, fallback);
  const spec: AgentSpec = {
    ...agent.spec,
    modelPolicy: { $typeName: 'svc.resources.ModelPolicy', profiles: [...profiles] },
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  };
  return { ...agent, spec, ...(systemPrompt === undefined ? {} : { promptOf: 'session' as const }) };
};

const overriddenProfiles = (
  spec: AgentSpec,
  { provider = '', model, temperature }: SessionOverrides,
  fallback: ModelTarget,
): readonly ModelProfile[] => {
  const profiles = spec.modelPolicy?.profiles ?? [];
  const own = profiles.filter(({ name }) => name !== COMPACTION);
  const first = own.find(({ name }) => name === DEFAULT) ?? own[0];
  const bare: Model = { $typeName: 'svc.resources.Model', provider: fallback.provider, name: fallback.model };
  const changed = (before: Model | undefined): Model => ({
    ...(before ?? bare),
    ...(model === undefined ? {} : { provider, name: model }),
    ...(temperature === undefined ? {} : { temperature }),
  });
  if (model === undefined && temperature === undefined) return profiles;
  const profileOf = (name: string, before: Model | undefined): ModelProfile => ({
    $typeName: 'svc.resources.ModelProfile',
    name,
    model: changed(before),
  });
  const replaced =
    model === undefined && own.length > 0
      ? own.map((profile) => profileOf(profile.name, profile.model))
      : [profileOf(first?.name ?? DEFAULT, first?.model)];
  return [...replaced, ...profiles.filter(({ name }) => name === COMPACTION)];
};
