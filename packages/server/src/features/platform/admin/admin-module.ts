import { type Ids, LineBroadcast, type WrittenLines } from '../../../base/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { type AdminDeps, adminOperations } from './admin-operations.ts';
import { LogStreams } from './log-streams.ts';
import { type ProbedModels, probe } from './model-probe.ts';

/** Provider types that need no key: the built-in one, and servers of one's own. */
const KEYLESS: ReadonlySet<string> = new Set(['demo', 'openai-compatible']);

interface AdminModuleDeps extends Omit<AdminDeps, 'providers' | 'usesKeyFile' | 'logs'> {
  readonly models: ProbedModels;
  /** As configured, by name. */
  readonly providers: Readonly<Record<string, { readonly type: string; readonly apiKey?: unknown }>>;
  readonly settings: {
    readonly 'secrets.keys': readonly unknown[];
    readonly 'limits.streamBufferEvents': number;
    readonly 'limits.streamBufferBytes': number;
  };
  /** What this process writes to its log; undefined where it cannot be read. */
  readonly lines: WrittenLines | undefined;
  readonly ids: Ids;
}

/** GetConfiguration, RunDoctor and StreamLogs, with what they look at. */
export const adminModule = (deps: AdminModuleDeps): FeatureModule => {
  const { models, providers, settings, lines = new LineBroadcast(), ids } = deps;
  const limits = { events: settings['limits.streamBufferEvents'], bytes: settings['limits.streamBufferBytes'] };
  const { provider, model } = models.defaultTarget;
  return {
    operations: adminOperations({
      ...deps,
      logs: new LogStreams({ lines, ids, limits }),
      usesKeyFile: settings['secrets.keys'].length === 0,
      providers: {
        providers: Object.entries(providers).map(([name, { type, apiKey }]) => ({
          name,
          isUsable: apiKey !== undefined || KEYLESS.has(type),
        })),
        defaultModel: `${provider}/${model}`,
        probe: (signal) => probe(models, signal),
      },
    }),
  };
};
