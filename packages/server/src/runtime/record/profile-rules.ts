import type { AgentSpec, Model } from '@svc/api/resources';
import type { ModelTarget, ThinkingOptions } from '../../models/contract.ts';

/** One profile ready to call: where it goes and with which options. */
export interface ResolvedProfile {
  readonly name: string;
  readonly target: ModelTarget;
  readonly temperature?: number;
  readonly thinking?: ThinkingOptions;
}

const thinkingOf = (model: Model): ThinkingOptions | undefined => {
  const thinking = model.thinking;
  if (thinking === undefined) return undefined;
  const { enabled, budgetTokens, effort } = thinking;
  const any = enabled !== undefined || budgetTokens !== undefined || effort !== '';
  if (!any) return undefined;
  return {
    enabled: enabled ?? true,
    ...(budgetTokens === undefined ? {} : { budgetTokens }),
    ...(effort === '' ? {} : { effort }),
  };
};

const resolve = (name: string, model: Model | undefined, fallback: ModelTarget): ResolvedProfile => {
  if (model === undefined) return { name, target: fallback };
  const target = { provider: model.provider === '' ? fallback.provider : model.provider, model: model.name };
  const thinking = thinkingOf(model);
  return {
    name,
    target,
    ...(model.temperature === undefined ? {} : { temperature: model.temperature }),
    ...(thinking === undefined ? {} : { thinking }),
  };
};

/** The chosen profile, then the others as fail-overs in order; never empty. */
export const profilesInOrder = (
  spec: AgentSpec,
  chosen: string,
  fallback: ModelTarget,
): readonly [ResolvedProfile, ...ResolvedProfile[]] => {
  const profiles = (spec.modelPolicy?.profiles ?? []).map((profile) => resolve(profile.name, profile.model, fallback));
  const start =
    profiles.find((profile) => profile.name === chosen) ??
    profiles.find((profile) => profile.name === 'default') ??
    profiles[0];
  if (start === undefined) return [{ name: '', target: fallback }];
  return [start, ...profiles.filter((profile) => profile !== start && profile.name !== 'compaction')];
};

/** What `knob` features narrow. */
export interface Knobs {
  readonly parallelTools: number;
  readonly maxSteps: number;
  readonly compaction: boolean;
  readonly hideReasoning: boolean;
}

/** The configured limits as the `knob` features of an agent narrow them; unknown knobs change nothing. */
export const knobsOf = (
  spec: AgentSpec,
  limits: { readonly parallelTools: number; readonly maxSteps: number },
): Knobs => {
  const { parallelTools, maxSteps } = limits;
  let knobs: Knobs = { parallelTools, maxSteps, compaction: true, hideReasoning: false };
  for (const feature of spec.features) {
    if (feature.type !== 'knob') continue;
    const steps = /^max_steps=(\d+)$/.exec(feature.name);
    if (feature.name === 'parallel_tools=off') knobs = { ...knobs, parallelTools: 1 };
    else if (feature.name === 'compaction=off') knobs = { ...knobs, compaction: false };
    else if (feature.name === 'reasoning=hide') knobs = { ...knobs, hideReasoning: true };
    else if (steps !== null && Number(steps[1]) >= 1)
      knobs = { ...knobs, maxSteps: Math.min(knobs.maxSteps, Number(steps[1])) };
  }
  return knobs;
};
