import { isFault } from '../base/index.ts';
import type { Failure } from './attempt.ts';
import type { ProviderConfig, SecretResolver } from './contract.ts';
import { failureOf } from './failure-rules.ts';

const DEFAULT_ENV: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
};

const SECRET = 'secret://';

export type KeyResult = { readonly key: string | undefined } | { readonly failure: Failure };

export interface KeySources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretResolver;
}

const MISSING: KeyResult = {
  failure: failureOf('provider_auth', { sentence: 'The model provider has no key in this configuration.' }),
};

const needsKey = (type: string): boolean => Object.hasOwn(DEFAULT_ENV, type);

const fromEnvironment = (name: string, sources: KeySources): KeyResult => {
  const key = sources.environment[name]?.trim() ?? '';
  return key === '' ? MISSING : { key };
};

/** Whether a key may exist at all; decides which provider `models.default` falls to. */
export const isUsable = (config: ProviderConfig, environment: KeySources['environment']): boolean => {
  const { apiKey } = config;
  if (typeof apiKey === 'string') return apiKey !== '';
  const name = apiKey?.env ?? DEFAULT_ENV[config.type];
  return name === undefined || (environment[name]?.trim() ?? '') !== '';
};

/** The key of one call: literal, environment or secret of the agent's namespace. Missing is provider_auth. */
export const resolveKey = (
  config: ProviderConfig,
  namespace: string,
  sources: KeySources,
): KeyResult | Promise<KeyResult> => {
  const { apiKey, type } = config;
  if (apiKey === undefined)
    return needsKey(type) ? fromEnvironment(DEFAULT_ENV[type] ?? '', sources) : { key: undefined };
  if (typeof apiKey !== 'string') return fromEnvironment(apiKey.env, sources);
  if (!apiKey.startsWith(SECRET)) return apiKey === '' ? MISSING : { key: apiKey };
  return fromSecret(apiKey, namespace, sources);
};

const fromSecret = async (reference: string, namespace: string, sources: KeySources): Promise<KeyResult> => {
  try {
    const key = await sources.secrets(namespace, reference);
    return key === '' ? MISSING : { key };
  } catch (error) {
    const isTemporary = !isFault(error) || error.code === 'UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED';
    if (!isTemporary) return MISSING;
    return {
      failure: failureOf('provider_unavailable', { sentence: 'The key of the model provider could not be read.' }),
    };
  }
};
