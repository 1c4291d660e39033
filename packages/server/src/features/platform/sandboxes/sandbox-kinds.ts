import { create } from '@bufbuild/protobuf';
import {
  ResourceConditionSchema,
  type ResourceRef,
  type SandboxClassSpec,
  type SandboxPolicySpec,
  type SandboxRuntimeTemplateSpec,
  type SandboxSpec,
  type SandboxStatus,
  SandboxStatusSchema,
} from '@svc/api/resources';
import {
  type CheckReads,
  followKinds,
  type KindContract,
  kindContract,
  type SpecWrite,
} from '../../../controllers/contract.ts';
import {
  commonStatus,
  type Finding,
  judgedConditions,
  kindRow,
  messageFromText,
  messageText,
  NOT_EXECUTED,
  notExecuted,
  parseJsonMap,
  recordKey,
  SYSTEM_NAMESPACE,
  secretReferences,
  settleConditions,
} from '../../../resources/index.ts';
import type { ReadTx, StoredResource } from '../../../store/contracts/index.ts';
import { checkSandbox, checkSandboxClass, checkSandboxPolicy, unknownModes } from './sandbox-rules.ts';

type Reads = Pick<ReadTx, 'resources'>;

export interface SandboxKindDeps {
  /** Ancestors by name, nearest first, without a read. */
  readonly ancestorsOf: (namespace: string) => readonly string[];
  /** Why a provider cannot run sandboxes in this process, '' when it can. */
  readonly providerProblem: (provider: string) => string;
  /** Why a `secret://` reference does not resolve in a namespace; undefined when it does. */
  readonly secretProblem: (reads: Reads, namespace: string, reference: string) => Promise<string | undefined>;
}

/** How sandbox classes, policies and sandboxes are written. The backends are another part's. */
export const sandboxContracts = (deps: SandboxKindDeps): readonly KindContract[] => {
  const scope = (namespace: string) => ({ visible: [namespace, ...deps.ancestorsOf(namespace), SYSTEM_NAMESPACE] });
  return [
    kindContract<SandboxClassSpec>({
      kind: 'SandboxClass',
      validate: ({ spec }) => checkSandboxClass(spec),
      observe: (tx, write) => observeClass(deps, tx, write),
      dependsOn: followKinds('SandboxClass', { Secret: {} }),
    }),
    kindContract<SandboxPolicySpec>({
      kind: 'SandboxPolicy',
      validate: ({ key, spec }) => checkSandboxPolicy(spec, scope(key.namespace)),
      observe: (tx, write) => observePolicy(deps, tx, write),
      dependsOn: followKinds('SandboxPolicy', { SandboxClass: { presenceOnly: true } }),
    }),
    kindContract<SandboxSpec>({
      kind: 'Sandbox',
      validate: ({ key, spec }) => checkSandbox(spec, scope(key.namespace)),
      observe: async (tx, write) => observeSandbox(tx, write),
    }),
  ];
};

const resolved = (problems: readonly string[]): Finding =>
  problems.length === 0
    ? { type: 'ReferencesResolved', status: 'True', reason: 'Resolved' }
    : { type: 'ReferencesResolved', status: 'False', reason: 'Unresolved', message: problems.join('; ') };

const observeClass = async (deps: SandboxKindDeps, tx: CheckReads, write: SpecWrite<SandboxClassSpec>) => {
  const { spec, key, current, generation } = write;
  const map = parseJsonMap(messageText(kindRow('SandboxClass').spec, spec)) ?? {};
  const problems: string[] = [];
  for (const reference of secretReferences('SandboxClass', map)) {
    const problem = await deps.secretProblem(tx, key.namespace, reference);
    if (problem !== undefined) problems.push(`${reference}: ${problem}`);
  }
  const missing = deps.providerProblem(spec.provider);
  const idle = notExecuted('SandboxClass');
  const provider: Finding =
    missing === ''
      ? { type: 'ProviderAvailable', status: 'True', reason: 'Available' }
      : {
          type: 'ProviderAvailable',
          status: 'False',
          reason: idle === undefined ? 'Unavailable' : NOT_EXECUTED,
          message: missing,
        };
  const findings = [provider, resolved(problems)];
  const phase = findings.every((finding) => finding.status === 'True') ? 'Ready' : 'Degraded';
  const judged = { phase, findings, notExecuted: idle };
  return commonStatus(current, judged, { now: tx.now(), generation });
};

const observePolicy = async (deps: SandboxKindDeps, tx: CheckReads, write: SpecWrite<SandboxPolicySpec>) => {
  const { spec, key, current, generation } = write;
  const found = await findClass(deps, tx, { namespace: key.namespace, reference: spec.classRef });
  const finding = resolved(found === undefined ? [`no sandbox class ${spec.classRef?.name ?? ''} is visible`] : []);
  const modes = judgeModes(spec.template);
  const phase = finding.status === 'True' ? 'Ready' : 'Degraded';
  const judged = { phase, findings: [finding, ...modes], notExecuted: notExecuted('SandboxPolicy') };
  return commonStatus(current, judged, { now: tx.now(), generation });
};

const MODES = 'ModesKnown';

/** Said only of modes that are unknown. */
const judgeModes = (template: SandboxRuntimeTemplateSpec | undefined): readonly Finding[] => {
  const unknown = unknownModes(template);
  if (unknown.length === 0) return [];
  return [{ type: MODES, status: 'Unknown', reason: 'UnknownMode', message: unknown.join('; ') }];
};

/** The class a policy means: the named namespace, else own, ancestors, `system`. */
const findClass = async (
  deps: SandboxKindDeps,
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

/** A sandbox that nothing provisioned yet; what its backend reported stays. */
const observeSandbox = (tx: CheckReads, write: SpecWrite<SandboxSpec>): SandboxStatus => {
  const { current, generation, spec } = write;
  const at = { now: tx.now(), generation };
  const modes = judgeModes(spec.runtimeTemplate);
  const stored =
    current === undefined ? undefined : (messageFromText(kindRow('Sandbox').status, current.status) as SandboxStatus);
  if (stored !== undefined && stored.backendId !== '') {
    const reported = stored.conditions.filter(({ type }) => type !== MODES);
    const found = settleConditions(stored.conditions, modes, at).map((state) => create(ResourceConditionSchema, state));
    const conditions = [...reported, ...found];
    return create(SandboxStatusSchema, { ...stored, observedGeneration: BigInt(generation), conditions });
  }
  const message = notExecuted('Sandbox') ?? '';
  const findings: readonly Finding[] = [
    { type: 'Provisioned', status: 'False', reason: NOT_EXECUTED, message },
    { type: 'SetupDone', status: 'Unknown', reason: NOT_EXECUTED },
    ...modes,
  ];
  const judged = { phase: 'Pending', findings, notExecuted: notExecuted('Sandbox') };
  return create(SandboxStatusSchema, {
    observedGeneration: BigInt(generation),
    phase: judged.phase,
    conditions: judgedConditions(stored?.conditions ?? [], judged, at),
  });
};
