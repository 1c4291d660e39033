import { adminOperations, type ConfigurationFacts, type ProviderFacts } from '../../features/platform/admin/index.ts';
import { pendingBackup } from '../../features/platform/backups/index.ts';
import type { ModelRegistry } from '../../models/index.ts';
import type { Operation } from '../../operations/index.ts';
import { type Config, configurationValues, faultLine } from '../config/index.ts';
import type { Engines } from './engines.ts';

/** Provider types that need no key: the built-in one, and servers of one's own. */
const KEYLESS: ReadonlySet<string> = new Set(['demo', 'openai-compatible']);
const PROBE_TOKENS = 16;

export interface AdministrationNeeds {
  readonly config: Config;
  readonly engines: Engines;
  readonly models: ModelRegistry;
}

/** GetConfiguration and RunDoctor, with what they look at. */
export const administrationOperations = ({ config, engines, models }: AdministrationNeeds): readonly Operation[] => {
  const { store, bus, objects, clock, ids } = engines;
  return adminOperations({
    store,
    bus,
    objects,
    clock,
    ids,
    dataDir: config.dataDir,
    usesKeyFile: config.settings['secrets.keys'].length === 0,
    examine: engines.examineStore,
    pendingBackup: () => pendingBackup(store.direct),
    lostValues: () => engines.secretKeys.lostValues(),
    configuration: configurationFacts(config, engines),
    providers: providerFacts(config, models),
  });
};

/** A process that was not told where its configuration came from shows values without their places. */
const configurationFacts = (config: Config, { loaded }: Engines): ConfigurationFacts => {
  const { origins, warnings } = loaded ?? { origins: new Map(), warnings: [] };
  const rows = configurationValues({ config, origins, warnings });
  return {
    values: rows.map(({ key, value, source, label }) => ({ key, value, source: label === '' ? source : label })),
    warnings: warnings.map(faultLine),
    ...(config.file === undefined ? {} : { file: config.file }),
  };
};

const providerFacts = (config: Config, models: ModelRegistry): ProviderFacts => {
  const { provider, model } = models.defaultTarget;
  return {
    providers: Object.entries(config.models.providers).map(([name, { type, apiKey }]) => ({
      name,
      isUsable: apiKey !== undefined || KEYLESS.has(type),
    })),
    defaultModel: `${provider}/${model}`,
    probe: (signal) => probe(models, signal),
  };
};

/** Asks the default model for a few tokens; answers the sentence of its failure. */
const probe = async (models: ModelRegistry, signal: AbortSignal): Promise<string | undefined> => {
  let problem: string | undefined;
  await models.stream(
    {
      target: models.defaultTarget,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Answer with one word.' }] }],
      tools: [],
      maxOutputTokens: PROBE_TOKENS,
      namespace: 'system',
      turnId: 'doctor',
      callNumber: 1,
    },
    (chunk) => {
      if (chunk.type === 'error') problem = chunk.error.sentence;
    },
    signal,
  );
  return problem;
};
