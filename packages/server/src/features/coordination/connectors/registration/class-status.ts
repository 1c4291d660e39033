import { create } from '@bufbuild/protobuf';
import { type ConnectorClassSpec, type ConnectorClassStatus, ConnectorClassStatusSchema } from '@svc/api/resources';
import type { ResourceWriter } from '../../../../controllers/contract.ts';
import {
  type Finding,
  isSealed,
  judgedConditions,
  kindRow,
  messageFromText,
  openRecord,
  type ValueSeal,
} from '../../../../resources/index.ts';
import type { ReadTx, ResourceKey, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { reportFinding } from '../provider-report.ts';
import { type ClassState, classState, stateAnnotation } from './class-state.ts';

type Reads = Pick<ReadTx, 'resources'>;

export interface ClassStatusDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Why a `secret://` reference does not resolve in a namespace; undefined when it does. */
  readonly secretProblem: (reads: Reads, namespace: string, reference: string) => Promise<string | undefined>;
}

/** A class whose status is asked for. */
export interface ObservedClass {
  readonly namespace: string;
  readonly spec: ConnectorClassSpec;
  readonly generation: number;
  /** Text of the stored status; undefined at creation. */
  readonly status: string | undefined;
  readonly state: ClassState;
}

/** Why a literal key is not used. */
export const UNOPENED = 'its key cannot be decrypted: the key that sealed it is missing';
const UNREGISTERED = 'the class has not been registered with its service yet';

/** The status of a class, from its spec and what it keeps of its registration. */
export const classStatus = async (
  deps: ClassStatusDeps,
  reads: Reads & { now(): number },
  observed: ObservedClass,
): Promise<ConnectorClassStatus> => {
  const { state, generation } = observed;
  const credential = await judgeCredential(deps, reads, observed);
  const phase = phaseOf(state);
  const findings: readonly Finding[] = [
    readyOf(state, credential),
    state.registered === undefined
      ? { type: 'CallbackAccepted', status: 'False', reason: 'NoRegistration', message: UNREGISTERED }
      : { type: 'CallbackAccepted', status: 'True', reason: 'Registered' },
    credential,
    { type: 'DeliveryHealthy', ...(state.deliveries ?? { status: 'Unknown', reason: 'NoDelivery' }) },
    reportFinding(state.report),
  ];
  const { status } = observed;
  const previous =
    status === undefined
      ? []
      : (messageFromText(kindRow('ConnectorClass').status, status) as ConnectorClassStatus).conditions;
  return create(ConnectorClassStatusSchema, {
    observedGeneration: BigInt(state.generation),
    phase,
    conditions: judgedConditions(previous, { phase, findings }, { now: reads.now(), generation }),
  });
};

const phaseOf = ({ registered, failure }: ClassState): string => {
  if (failure !== undefined) return 'degraded';
  return registered === undefined ? 'pending' : 'ready';
};

const readyOf = ({ registered, failure }: ClassState, credential: Finding): Finding => {
  if (failure !== undefined) return { type: 'Ready', status: 'False', ...failure };
  if (credential.status !== 'True' && registered === undefined)
    return { type: 'Ready', status: 'False', reason: 'CredentialUnavailable', message: credential.message ?? '' };
  return registered === undefined
    ? { type: 'Ready', status: 'Unknown', reason: 'Registering', message: UNREGISTERED }
    : { type: 'Ready', status: 'True', reason: 'Registered' };
};

const judgeCredential = async (
  deps: ClassStatusDeps,
  reads: Reads,
  { namespace, spec }: ObservedClass,
): Promise<Finding> => {
  const { plain, env } = spec.auth?.apiKey ?? {};
  if (env !== undefined && (deps.environment[env] ?? '').trim() === '')
    return { type: 'CredentialResolved', status: 'False', reason: 'EnvNotSet', message: `variable ${env} is not set` };
  if (isSealed(plain ?? ''))
    return { type: 'CredentialResolved', status: 'False', reason: 'NotDecryptable', message: UNOPENED };
  const problem = plain?.startsWith('secret://') ? await deps.secretProblem(reads, namespace, plain) : undefined;
  return problem === undefined
    ? { type: 'CredentialResolved', status: 'True', reason: 'Resolved' }
    : { type: 'CredentialResolved', status: 'False', reason: problem, message: `${plain} does not resolve` };
};

/** What keeps the state of classes. */
export interface ClassRecordDeps extends ClassStatusDeps {
  readonly writer: Pick<ResourceWriter, 'writeStatus'>;
  readonly seal: Pick<ValueSeal, 'open'>;
}

/** Changes what a class keeps, and its status with it, in the caller's transaction; nothing happens to a class that is gone. */
export const changeClass = async (
  { deps, tx }: { readonly deps: ClassRecordDeps; readonly tx: WriteTx },
  { key, uid }: { readonly key: ResourceKey; readonly uid: string },
  change: (state: ClassState) => ClassState,
): Promise<void> => {
  const record = await tx.resources.get(key);
  if (record?.uid !== uid) return;
  const state = change(classState(record.annotations));
  const { generation, status: before } = record;
  const spec = classSpec(record, deps.seal);
  const observed = { namespace: key.namespace, spec, generation, status: before, state };
  const status = await classStatus(deps, tx, observed);
  await deps.writer.writeStatus(tx, key, () => ({ status, system: { annotations: stateAnnotation(state) } }));
};

/** Typed spec of a stored class, its credential readable. */
export const classSpec = (record: StoredResource, seal: Pick<ValueSeal, 'open'>): ConnectorClassSpec =>
  messageFromText(kindRow('ConnectorClass').spec, openRecord(record, seal).spec) as ConnectorClassSpec;
