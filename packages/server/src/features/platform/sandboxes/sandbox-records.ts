import { create } from '@bufbuild/protobuf';
import {
  ResourceConditionSchema,
  SandboxLeaseSchema,
  SandboxProcessStatusSchema,
  type SandboxStatus,
  SandboxStatusSchema,
} from '@svc/api/resources';
import { type Finding, judgedConditions, kindRow, messageFromText } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';

/** Processes that a status lists. */
const PROCESSES_MAX = 20;
/** Of a command line in a status. */
const COMMAND_CHARS = 200;

/** Keeps the record of a sandbox until its backend is gone. */
export const BACKEND_FINALIZER = 'svc/sandbox-backend';

/** The stored status of a sandbox. */
export const sandboxStatus = (record: Pick<StoredResource, 'status'>): SandboxStatus =>
  messageFromText(kindRow('Sandbox').status, record.status) as SandboxStatus;

/** What happened to the backend of a sandbox. */
export interface BackendChange {
  readonly phase: 'Pending' | 'Ready' | 'Leased' | 'Failed';
  readonly backendId: string;
  readonly provisioned: Finding;
  readonly setup: Finding;
}

export const PROVISIONED: Finding = { type: 'Provisioned', status: 'True', reason: 'Created' };
export const SETUP_DONE: Finding = { type: 'SetupDone', status: 'True', reason: 'Done' };

/** The status after a change of the backend. */
export const backendStatus = (record: StoredResource, change: BackendChange, now: number): SandboxStatus => {
  const stored = sandboxStatus(record);
  const kept = stored.conditions.filter(({ type }) => type === 'ModesKnown');
  const own = [change.provisioned, change.setup];
  const judged = { phase: change.phase, findings: own };
  const conditions = judgedConditions(stored.conditions, judged, { now, generation: record.generation });
  return create(SandboxStatusSchema, {
    ...stored,
    phase: change.phase,
    backendId: change.backendId,
    conditions: [...conditions.map((state) => create(ResourceConditionSchema, state)), ...kept],
  });
};

/** Who holds a sandbox, as its status shows it; times in micros. */
export interface ShownLease {
  readonly agent: string;
  readonly session: string;
  readonly token: string;
  readonly acquiredAt: number;
  readonly expiresAt: number;
  readonly heartbeatAt: number;
}

/** The status with another holder; undefined = nobody. The phase follows, unless the sandbox is not usable. */
export const leasedStatus = (record: StoredResource, lease: ShownLease | undefined): SandboxStatus => {
  const { lease: _former, ...stored } = sandboxStatus(record);
  const isUsable = stored.phase === 'Ready' || stored.phase === 'Leased';
  const phase = isUsable ? (lease === undefined ? 'Ready' : 'Leased') : stored.phase;
  if (lease === undefined) return create(SandboxStatusSchema, { ...stored, phase });
  const shown = create(SandboxLeaseSchema, {
    ownerKind: 'Session',
    ownerAgent: lease.agent,
    ownerSessionId: lease.session,
    token: lease.token,
    acquiredAt: BigInt(lease.acquiredAt),
    expiresAt: BigInt(lease.expiresAt),
    heartbeatAt: BigInt(lease.heartbeatAt),
  });
  return create(SandboxStatusSchema, { ...stored, phase, lease: shown });
};

export interface ShownProcess {
  readonly id: string;
  readonly argv: readonly string[];
  readonly phase: 'Running' | 'Exited' | 'Killed';
}

/** The status with a process that began or ended; of processes that ended the newest stay. */
export const processStatus = (record: StoredResource, { id, argv, phase }: ShownProcess): SandboxStatus => {
  const stored = sandboxStatus(record);
  const [command = '', ...args] = argv.map((text) => text.slice(0, COMMAND_CHARS).toWellFormed());
  const shown = create(SandboxProcessStatusSchema, { id, command, args, protocol: '', phase });
  const others = stored.processes.filter((process) => process.id !== id);
  return create(SandboxStatusSchema, { ...stored, processes: [...others, shown].slice(-PROCESSES_MAX) });
};
