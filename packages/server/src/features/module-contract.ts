import type { KindContract, QueueWorker, Reconciler } from '../controllers/contract.ts';
import type { HttpRoute, Operation } from '../operations/index.ts';
import type { Tool, ToolSource } from '../tools/contract.ts';
import type { ClaimSource } from './claim-source.ts';
import type { TrailSource } from './trail-source.ts';

/** Work that is done again and again while the process runs, no run of it twice at a time. */
export interface PeriodicJob {
  readonly name: string;
  readonly everyMs: number;
  tick(): Promise<unknown>;
}

/** Whether the process can serve calls; throws what is missing. */
interface ReadyCheck {
  readonly name: string;
  check(): Promise<void>;
}

/** A value of the instance that is stored encrypted, for the rotation of keys. */
interface SealedValue {
  readonly name: string;
  /** What the ciphertext is bound to. */
  readonly place: string;
}

/**
 * What a feature brings into the process; each exports one function that makes it of exactly what it needs. app lists the
 * features, hands each its needs and runs the parts. What one feature offers another is a further property of its module, which
 * app passes on by the interface that the other one declares.
 */
export interface FeatureModule {
  readonly kinds?: readonly KindContract[];
  readonly reconcilers?: readonly Reconciler[];
  /** Workers of the durable queue. */
  readonly workers?: readonly QueueWorker[];
  readonly sealedValues?: readonly SealedValue[];
  /** Encrypts what the feature keeps sealed in tables of its own with the newest key; may run again at any time. */
  readonly reseal?: () => Promise<void>;
  readonly jobs?: readonly PeriodicJob[];
  readonly operations?: readonly Operation[];
  readonly routes?: readonly HttpRoute[];
  /** What must hold before the process is ready for calls. */
  readonly checks?: readonly ReadyCheck[];
  /** What models may call. */
  readonly tools?: readonly Tool[];
  /** Tools that depend on the turn. */
  readonly toolSources?: readonly ToolSource[];
  /** What the feature knows of what became of a message. */
  readonly trails?: readonly TrailSource[];
  /** What the feature knows of the work that workers hold. */
  readonly claims?: readonly ClaimSource[];
}

/** The parts of all modules, in the order of the list. */
export const joinModules = (modules: readonly FeatureModule[]): Required<FeatureModule> => ({
  reseal: async () => {
    for (const { reseal } of modules) await reseal?.();
  },
  kinds: modules.flatMap(({ kinds = [] }) => kinds),
  reconcilers: modules.flatMap(({ reconcilers = [] }) => reconcilers),
  workers: modules.flatMap(({ workers = [] }) => workers),
  sealedValues: modules.flatMap(({ sealedValues = [] }) => sealedValues),
  jobs: modules.flatMap(({ jobs = [] }) => jobs),
  operations: modules.flatMap(({ operations = [] }) => operations),
  routes: modules.flatMap(({ routes = [] }) => routes),
  checks: modules.flatMap(({ checks = [] }) => checks),
  tools: modules.flatMap(({ tools = [] }) => tools),
  toolSources: modules.flatMap(({ toolSources = [] }) => toolSources),
  trails: modules.flatMap(({ trails = [] }) => trails),
  claims: modules.flatMap(({ claims = [] }) => claims),
});
