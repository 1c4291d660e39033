import { type Clock, Fault, type Ids, type Log } from '../../../base/index.ts';
import type { UsageMeter } from '../../../runtime/contract.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { type Embedder, type Meant, QueryMeaning } from './query-meaning.ts';
import { type VectorFacts, VectorJob } from './vector-job.ts';
import { chargeVectors } from './vector-usage.ts';

interface VectorsModuleDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'next'>;
  readonly log: Log;
  readonly models: Embedder & { hasProvider(name: string): boolean };
  /** Counts what requests for vectors use. */
  readonly meter: Pick<UsageMeter, 'charge'>;
  readonly settings: {
    readonly 'knowledge.embeddings': { readonly provider?: string; readonly model?: string } | undefined;
  };
}

export interface VectorsModule extends FeatureModule {
  /** What a query means; undefined where searches go by words only. Never rejects. */
  readonly understand: (query: string, namespace: string) => Promise<Meant | undefined>;
  /** For `svc doctor`; undefined where no model is configured. */
  readonly facts: () => Promise<VectorFacts | undefined>;
}

const EVERY_MS = 2_000;

/** Search by meaning, where it is configured. Throws CONFIG_INVALID for a provider that is not configured. */
export const vectorsModule = (deps: VectorsModuleDeps): VectorsModule => {
  const { settings, models } = deps;
  const configured = settings['knowledge.embeddings'];
  if (configured === undefined) return { understand: async () => undefined, facts: async () => undefined };
  const { provider = '', model = '' } = configured;
  if (!models.hasProvider(provider))
    throw new Fault(
      'INVALID_ARGUMENT',
      'CONFIG_INVALID',
      `knowledge.embeddings.provider "${provider}" does not name a configured provider`,
    );
  const parts = { ...deps, target: { provider, model }, charge: chargeVectors(deps.meter) };
  const meaning = new QueryMeaning(parts);
  const job = new VectorJob(parts);
  return {
    jobs: [{ name: 'vectors', everyMs: EVERY_MS, tick: () => job.tick() }],
    understand: (query, namespace) => meaning.of(query, namespace),
    facts: () => job.facts(),
  };
};
