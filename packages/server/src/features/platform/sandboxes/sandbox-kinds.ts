import { create, type Message } from '@bufbuild/protobuf';
import {
  type CommonResourceStatus,
  ResourceConditionSchema,
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
  parseJsonMap,
  SYSTEM_NAMESPACE,
  secretReferences,
  settleConditions,
} from '../../../resources/index.ts';
import type { ProviderReport, SettingProblem } from '../../../sandbox/contract.ts';
import type { ReadTx, StoredResource } from '../../../store/contracts/index.ts';
import type { ProviderChoice } from './providers/index.ts';
import { choiceOf, findClass } from './sandbox-resolution.ts';
import { checkSandbox, checkSandboxClass, checkSandboxPolicy, unknownModes } from './sandbox-rules.ts';

type Reads = Pick<ReadTx, 'resources'>;

const TRYING_MS = 1_000;
const UNAVAILABLE_MS = 60_000;

export interface SandboxKindDeps {
  /** Ancestors by name, nearest first, without a read. */
  readonly ancestorsOf: (namespace: string) => readonly string[];
  /** What a provider can do in this process; undefined while that is being found out. */
  readonly providerReport: (choice: ProviderChoice) => ProviderReport | undefined;
  /** All faults of what a class says for its provider, by field of its spec. */
  readonly configProblems: (choice: ProviderChoice) => readonly SettingProblem[];
  /** What of a template the provider of a stored class cannot keep, '' when it can keep all. */
  readonly planProblem: (record: StoredResource, template: SandboxRuntimeTemplateSpec | undefined) => string;
  /** Why a `secret://` reference does not resolve in a namespace; undefined when it does. */
  readonly secretProblem: (reads: Reads, namespace: string, reference: string) => Promise<string | undefined>;
}

/** How sandbox classes, policies and sandboxes are written. The backends are another part's. */
export const sandboxContracts = (deps: SandboxKindDeps): readonly KindContract[] => {
  const scope = (namespace: string) => ({ visible: [namespace, ...deps.ancestorsOf(namespace), SYSTEM_NAMESPACE] });
  return [
    kindContract<SandboxClassSpec>({
      kind: 'SandboxClass',
      validate: ({ key, spec }) => checkSandboxClass(key.namespace, spec, deps.configProblems),
      observe: (tx, write) => observeClass(deps, tx, write),
      dependsOn: { ...followKinds('SandboxClass', { Secret: {} }), againMs },
    }),
    kindContract<SandboxPolicySpec>({
      kind: 'SandboxPolicy',
      validate: ({ key, spec }) => checkSandboxPolicy(spec, scope(key.namespace)),
      observe: (tx, write) => observePolicy(deps, tx, write),
      dependsOn: followKinds('SandboxPolicy', { SandboxClass: {} }),
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
  const { spec, key, current, generation, isSpecChanged } = write;
  const map = parseJsonMap(messageText(kindRow('SandboxClass').spec, spec)) ?? {};
  const problems: string[] = [];
  for (const reference of secretReferences('SandboxClass', map)) {
    const problem = await deps.secretProblem(tx, key.namespace, reference);
    if (problem !== undefined) problems.push(`${reference}: ${problem}`);
  }
  const provider = providerFinding(
    deps.providerReport(choiceOf(key.namespace, spec)),
    isSpecChanged ? undefined : current,
  );
  const findings = [provider, resolved(problems)];
  const phase = findings.some((finding) => finding.status === 'False') ? 'Degraded' : 'Ready';
  const judged = { phase, findings };
  return commonStatus(current, judged, { now: tx.now(), generation });
};

const PROVIDER = 'ProviderAvailable';

/** What was found last holds while the provider is tried again, as after every start of the server. */
const providerFinding = (report: ProviderReport | undefined, current: StoredResource | undefined): Finding => {
  if (report === undefined) {
    const stored = current === undefined ? undefined : messageFromText(kindRow('SandboxClass').status, current.status);
    const before = (stored as CommonResourceStatus | undefined)?.conditions.find(({ type }) => type === PROVIDER);
    if (before === undefined) return { type: PROVIDER, status: 'Unknown', reason: 'Trying', message: '' };
    const { status, reason, message } = before;
    return { type: PROVIDER, status: status as Finding['status'], reason, message };
  }
  const { isAvailable, message } = report;
  return isAvailable
    ? { type: PROVIDER, status: 'True', reason: 'Available', message }
    : { type: PROVIDER, status: 'False', reason: 'Unavailable', message };
};

/** A class is observed again soon while its provider is being tried, and now and then while that does not work. */
const againMs = (status: Message): number | undefined => {
  const { conditions } = status as CommonResourceStatus;
  const provider = conditions.find(({ type }) => type === PROVIDER)?.status;
  if (provider === 'True') return undefined;
  return provider === 'Unknown' ? TRYING_MS : UNAVAILABLE_MS;
};

const observePolicy = async (deps: SandboxKindDeps, tx: CheckReads, write: SpecWrite<SandboxPolicySpec>) => {
  const { spec, key, current, generation } = write;
  const found = await findClass(deps, tx, { namespace: key.namespace, reference: spec.classRef });
  const finding = resolved(found === undefined ? [`no sandbox class ${spec.classRef?.name ?? ''} is visible`] : []);
  const modes = judgeModes(spec.template);
  const supported = found === undefined ? [] : judgeTemplate(deps.planProblem(found, spec.template));
  const phase = finding.status === 'True' && supported.length === 0 ? 'Ready' : 'Degraded';
  const judged = { phase, findings: [finding, ...supported, ...modes] };
  return commonStatus(current, judged, { now: tx.now(), generation });
};

/** Said only of a template that the provider cannot keep. */
const judgeTemplate = (problem: string): readonly Finding[] =>
  problem === '' ? [] : [{ type: 'TemplateSupported', status: 'False', reason: 'Unsupported', message: problem }];

const MODES = 'ModesKnown';

/** Said only of modes that are unknown. */
const judgeModes = (template: SandboxRuntimeTemplateSpec | undefined): readonly Finding[] => {
  const unknown = unknownModes(template);
  if (unknown.length === 0) return [];
  return [{ type: MODES, status: 'Unknown', reason: 'UnknownMode', message: unknown.join('; ') }];
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
  const findings: readonly Finding[] = [
    { type: 'Provisioned', status: 'False', reason: 'Pending' },
    { type: 'SetupDone', status: 'Unknown', reason: 'Pending' },
    ...modes,
  ];
  const judged = { phase: 'Pending', findings };
  return create(SandboxStatusSchema, {
    ...(stored?.lease === undefined ? {} : { lease: stored.lease }),
    observedGeneration: BigInt(generation),
    phase: judged.phase,
    conditions: judgedConditions(stored?.conditions ?? [], judged, at),
  });
};
