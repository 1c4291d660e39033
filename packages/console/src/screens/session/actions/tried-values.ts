import type { SessionOverrides } from '@svc/api/data';
import type { AgentSpec } from '@svc/api/resources';

/** What a session runs with, as a person edits it. */
export interface TriedValues {
  /** `provider/model`, or the model alone for the provider of the configuration; '' for the model of the configuration. */
  readonly model: string;
  /** '' for what the provider does by itself. */
  readonly temperature: string;
  readonly systemPrompt: string;
}

type Given = Partial<Pick<SessionOverrides, 'provider' | 'model' | 'temperature' | 'systemPrompt'>>;

/** What an agent runs with. */
export const agentValues = (spec: AgentSpec | undefined): TriedValues => {
  const profiles = spec?.modelPolicy?.profiles ?? [];
  const { model } = profiles.find(({ name }) => name === 'default') ?? profiles[0] ?? {};
  return {
    model: modelText(model?.provider ?? '', model?.name ?? ''),
    temperature: numberText(model?.temperature),
    systemPrompt: spec?.systemPrompt ?? '',
  };
};

/** What a session runs with that overrides parts of its agent. */
export const sessionValues = (agent: TriedValues, overrides: Given | undefined): TriedValues => {
  const { provider = '', model, temperature, systemPrompt } = overrides ?? {};
  return {
    model: model === undefined ? agent.model : modelText(provider, model),
    temperature: temperature === undefined ? agent.temperature : numberText(temperature),
    systemPrompt: systemPrompt ?? agent.systemPrompt,
  };
};

const modelText = (provider: string, model: string): string => (provider === '' ? model : `${provider}/${model}`);

/** A stored number of 32 bits as it was written. */
const numberText = (value: number | undefined): string =>
  value === undefined ? '' : String(Number(value.toPrecision(6)));

/** What a fork has to override to run with these values; an empty temperature or model leaves what there is. */
export const overridesFor = (values: TriedValues, before: TriedValues): Given => {
  const model = values.model.trim();
  const temperature = values.temperature.trim();
  const at = model.indexOf('/');
  return {
    ...(model === '' || model === before.model
      ? {}
      : { ...(at > 0 && { provider: model.slice(0, at) }), model: model.slice(at > 0 ? at + 1 : 0) }),
    ...(temperature === '' || temperature === before.temperature ? {} : { temperature: Number(temperature) }),
    ...(values.systemPrompt === before.systemPrompt ? {} : { systemPrompt: values.systemPrompt }),
  };
};

/** One thing in which a session differs from its agent. */
export interface Difference {
  readonly what: keyof TriedValues;
  readonly is: string;
  readonly was: string;
}

/** Everything in which a session differs from its agent. */
export const differences = (agent: TriedValues, overrides: Given | undefined): readonly Difference[] => {
  const session = sessionValues(agent, overrides);
  const names = ['model', 'temperature', 'systemPrompt'] as const;
  return names
    .filter((what) => session[what] !== agent[what])
    .map((what) => ({ what, is: session[what], was: agent[what] }));
};
