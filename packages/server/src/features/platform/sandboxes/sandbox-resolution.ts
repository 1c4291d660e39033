import type { ResourceRef, SandboxClassSpec, SandboxPolicySpec, SandboxSpec } from '@svc/api/resources';
import {
  kindRow,
  messageFromText,
  openRecord,
  parseJsonMap,
  recordKey,
  SYSTEM_NAMESPACE,
  type ValueSeal,
} from '../../../resources/index.ts';
import type { SandboxPlan } from '../../../sandbox/contract.ts';
import type { ReadTx, ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import type { ProviderChoice } from './providers/index.ts';
import { classConfig, type LeaseMode, leaseMode, sandboxPlan } from './sandbox-plan-rules.ts';

export type Reads = Pick<ReadTx, 'resources'>;

export interface ResolutionDeps {
  /** Ancestors by name, nearest first, without a read. */
  readonly ancestorsOf: (namespace: string) => readonly string[];
  readonly seal: Pick<ValueSeal, 'open'>;
}

/** Name of the policy of agents that name none. */
const DEFAULT_POLICY = 'default';

/** A policy as it holds now, with the class that it means. */
export interface ResolvedPolicy {
  readonly key: ResourceKey;
  readonly spec: SandboxPolicySpec;
  readonly classKey: ResourceKey;
}

const specOf = <S>(record: StoredResource): S => messageFromText(kindRow(record.key.kind).spec, record.spec) as S;

/** A stored class with its values readable. */
export const classSpecOf = (record: StoredResource, seal: Pick<ValueSeal, 'open'>): SandboxClassSpec =>
  specOf(openRecord(record, seal));

/** The provider that an opened class means. */
export const choiceOf = (
  namespace: string,
  { provider, providerConfigJson, credentialsJson }: SandboxClassSpec,
): ProviderChoice => ({
  provider,
  config: parseJsonMap(providerConfigJson) ?? {},
  credentials: parseJsonMap(credentialsJson) ?? {},
  namespace,
});

/** The class that a reference means: the named namespace, else own, ancestors, `system`. */
export const findClass = async (
  deps: Pick<ResolutionDeps, 'ancestorsOf'>,
  reads: Reads,
  wanted: { readonly namespace: string; readonly reference: ResourceRef | undefined },
): Promise<StoredResource | undefined> => {
  const { name = '', namespace = '' } = wanted.reference ?? {};
  const own = wanted.namespace;
  const places = namespace === '' ? [own, ...deps.ancestorsOf(own), SYSTEM_NAMESPACE] : [namespace];
  for (const place of places) {
    const found = await reads.resources.get(recordKey('SandboxClass', place, name));
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The policy of an agent, in its namespace or the nearest ancestor, and its class; undefined when either is missing. */
export const resolvePolicy = async (
  deps: ResolutionDeps,
  reads: Reads,
  wanted: { readonly namespace: string; readonly policy: string },
): Promise<ResolvedPolicy | undefined> => {
  const name = wanted.policy === '' ? DEFAULT_POLICY : wanted.policy;
  for (const place of [wanted.namespace, ...deps.ancestorsOf(wanted.namespace)]) {
    const record = await reads.resources.get(recordKey('SandboxPolicy', place, name));
    if (record === undefined || record.deletionTimestamp !== undefined) continue;
    const spec = specOf<SandboxPolicySpec>(record);
    const found = await findClass(deps, reads, { namespace: place, reference: spec.classRef });
    return found === undefined ? undefined : { key: record.key, spec, classKey: found.key };
  }
  return undefined;
};

/** Everything needed to run a stored sandbox. */
export interface ResolvedSandbox {
  readonly choice: ProviderChoice;
  readonly plan: SandboxPlan;
  readonly mode: LeaseMode;
  readonly setup: {
    readonly packages: readonly string[];
    readonly commands: readonly string[];
    readonly timeoutMs: number;
  };
}

/** What a stored sandbox is made of: its own template, else that of its policy; undefined while its class is missing. */
export const resolveSandbox = async (
  deps: ResolutionDeps,
  reads: Reads,
  record: StoredResource,
): Promise<ResolvedSandbox | undefined> => {
  const spec = specOf<SandboxSpec>(record);
  const { namespace } = record.key;
  const policy =
    spec.policyRef === ''
      ? undefined
      : await reads.resources.get(recordKey('SandboxPolicy', namespace, spec.policyRef));
  const policySpec = policy === undefined ? undefined : specOf<SandboxPolicySpec>(policy);
  const reference = spec.classRef ?? policySpec?.classRef;
  const found = await findClass(deps, reads, { namespace, reference });
  if (found === undefined) return undefined;
  const choice = choiceOf(found.key.namespace, classSpecOf(found, deps.seal));
  const config = classConfig(choice.config);
  const template = spec.runtimeTemplate ?? policySpec?.template;
  const { packages = [], commands = [] } = template?.setup ?? {};
  return {
    choice,
    plan: sandboxPlan(
      { id: record.uid, volume: record.annotations[VOLUME_ANNOTATION] ?? record.uid },
      template,
      config,
    ),
    mode: leaseMode(template),
    setup: { packages, commands, timeoutMs: config.setupTimeoutMs },
  };
};

/** Annotations of sandboxes that leases made: the session, or the run of a workflow, its volume, and the turn where they go with it. */
export const SESSION_ANNOTATION = 'svc/sandbox-session';
export const VOLUME_ANNOTATION = 'svc/sandbox-volume';
export const SCOPE_ANNOTATION = 'svc/sandbox-policy';
/** Begins the name of a volume; the id of its session or run follows, with which it goes. */
export const SESSION_VOLUME = 's-';
