import type { Clock, Ids, Log, Random } from '../../../base/index.ts';
import type { AppendAudit, ResourceWriter } from '../../../controllers/contract.ts';
import type { ValueSeal } from '../../../resources/index.ts';
import type { SandboxProvider, SandboxProviderKind, SettingProblem } from '../../../sandbox/contract.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { execSandboxOperation } from './exec-sandbox.ts';
import { sandboxClaims } from './lease-records.ts';
import { type ProviderChoice, ProviderPool, ProviderReports } from './providers/index.ts';
import { SandboxBackends } from './sandbox-backends.ts';
import { SandboxHolder } from './sandbox-holder.ts';
import { type SandboxKindDeps, sandboxContracts } from './sandbox-kinds.ts';
import { classConfig, sandboxPlan } from './sandbox-plan-rules.ts';
import { choiceOf, classSpecOf, resolvePolicy } from './sandbox-resolution.ts';
import { sandboxToolSource } from './sandbox-tools.ts';
import { SandboxUpkeep } from './sandbox-upkeep.ts';

interface SandboxesModuleDeps extends Omit<SandboxKindDeps, 'providerReport' | 'configProblems' | 'planProblem'> {
  readonly store: Store;
  readonly writer: ResourceWriter;
  readonly seal: ValueSeal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: Log;
  readonly audit: AppendAudit;
  /** Names this process. */
  readonly workerId: string;
  readonly providers: readonly SandboxProvider[];
  readonly providerKinds: readonly SandboxProviderKind[];
  readonly settings: {
    /** Providers that may be used, by name; absent = all. */
    readonly 'sandbox.providers'?: Readonly<Record<string, unknown>> | undefined;
    /** Milliseconds. */
    readonly 'sandbox.idleStop': number;
    readonly 'sandbox.destroyAfter': number;
  };
}

/** The module, and its end. */
export interface SandboxesModule extends FeatureModule {
  /** Runs work in the sandbox of a session, for other features. */
  readonly use: SandboxHolder['use'];
  /** Ends what runs in sandboxes for this process; their backends stay. */
  close(): Promise<void>;
}

/** Leases live 60 s: two renewals may fail. */
const RENEW_MS = 20_000;
const COLLECT_MS = 600_000;

/** The kinds SandboxClass, SandboxPolicy and Sandbox, the leases of sandboxes, and the tools that use them. */
export const sandboxesModule = (deps: SandboxesModuleDeps): SandboxesModule => {
  const { settings, store } = deps;
  const pool = new ProviderPool({ ...deps, chosen: settings['sandbox.providers'] });
  const made = { ...deps, pool };
  const reports = new ProviderReports({ ...made, monotonicMs: () => deps.clock.monotonicMs() });
  const backends = new SandboxBackends(made);
  const holder = new SandboxHolder({ ...made, backends, idleMs: settings['sandbox.idleStop'] });
  const upkeep = new SandboxUpkeep({ ...made, backends, destroyMs: settings['sandbox.destroyAfter'] });
  const isResolved = (namespace: string, policy: string): Promise<boolean> =>
    store.read(async (tx) => (await resolvePolicy(made, tx, { namespace, policy })) !== undefined);
  return {
    kinds: sandboxContracts({
      ...deps,
      providerReport: (choice) => reports.current(choice),
      planProblem: (record, template) => {
        const choice = choiceOf(record.key.namespace, classSpecOf(record, deps.seal));
        const plan = sandboxPlan({ id: '', volume: '' }, template, classConfig(choice.config));
        return kindOf(deps.providerKinds, choice)?.planProblem?.(plan) ?? '';
      },
      configProblems: (choice) => settingProblems(deps.providerKinds, choice),
    }),
    reconcilers: [upkeep.reconciler()],
    jobs: [
      { name: 'sandbox-leases', everyMs: RENEW_MS, tick: () => holder.tick() },
      { name: 'sandbox-collection', everyMs: COLLECT_MS, tick: () => upkeep.collect() },
    ],
    use: (user, work) => holder.use(user, work),
    claims: [sandboxClaims],
    operations: [execSandboxOperation({ ...made, backends })],
    toolSources: [sandboxToolSource({ holder, isResolved })],
    close: () => pool.close(),
  };
};

const kindOf = (kinds: readonly SandboxProviderKind[], { provider }: ProviderChoice): SandboxProviderKind | undefined =>
  kinds.find(({ name }) => name === provider);

/** All faults of what a class says for its provider, by field of its spec. */
const settingProblems = (kinds: readonly SandboxProviderKind[], choice: ProviderChoice): readonly SettingProblem[] => {
  const { config, credentials } = choice;
  const kind = kindOf(kinds, choice);
  const below = (part: string, problems: readonly SettingProblem[] = []): readonly SettingProblem[] =>
    problems.map(({ field, problem }) => ({ field: `${part}.${field}`, problem }));
  return [
    ...below('providerConfigJson', kind?.problems(config)),
    ...below('credentialsJson', kind?.credentialProblems?.(credentials)),
  ];
};
