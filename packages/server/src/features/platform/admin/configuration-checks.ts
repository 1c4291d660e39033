import { type Check, fail, ok, warn } from './check.ts';

/** One key of the configuration as GetConfiguration shows it; secrets are masked already. */
interface ConfigurationFact {
  readonly key: string;
  /** JSON value; null when unset. */
  readonly value: unknown;
  /** Where it was written, such as `svc.yaml:3:5`; `default` otherwise. */
  readonly source: string;
}

/** The configuration in force, and what its loader warned about. */
export interface ConfigurationFacts {
  readonly values: readonly ConfigurationFact[];
  readonly warnings: readonly string[];
  /** Absent = defaults. */
  readonly file?: string;
}

/** A model provider as far as its configuration tells. */
interface ProviderFact {
  readonly name: string;
  /** False when it needs a key and has none. */
  readonly isUsable: boolean;
}

export interface ProviderFacts {
  readonly providers: readonly ProviderFact[];
  /** Such as `openai/gpt-5`. */
  readonly defaultModel: string;
  /** One cheap call of the default model; answers what went wrong. Used only when the caller asked for it. */
  readonly probe: (signal: AbortSignal) => Promise<string | undefined>;
}

/** The file and what is odd about it. */
export const checkConfiguration = ({ warnings, file }: ConfigurationFacts): readonly Check[] => {
  const name = 'configuration';
  if (warnings.length === 0) return [ok(name, file ?? 'defaults')];
  return warnings.map((text) => warn(name, text, 'correct it, then run `svc config check`'));
};

/** Which models agents can use; with `online` whether the default one answers. */
export const checkProviders = async (
  facts: ProviderFacts,
  options: { readonly online: boolean; readonly signal: AbortSignal },
): Promise<readonly Check[]> => {
  const name = 'providers';
  const keyless = facts.providers.filter(({ isUsable }) => !isUsable).map((provider) => provider.name);
  const usable = facts.providers.filter(({ isUsable }) => isUsable).map((provider) => provider.name);
  const listed =
    keyless.length === 0
      ? ok(name, usable.join(', '))
      : warn(name, `no key for ${keyless.join(', ')}`, 'set models.providers.<name>.apiKey');
  if (!options.online) return [listed];
  const problem = await facts.probe(options.signal);
  const answered =
    problem === undefined
      ? ok('default model', `${facts.defaultModel} answers`)
      : fail('default model', `${facts.defaultModel}: ${problem}`, 'check models.default, its key and the network');
  return [listed, answered];
};
