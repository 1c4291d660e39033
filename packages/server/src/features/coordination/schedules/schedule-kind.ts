import { clone } from '@bufbuild/protobuf';
import { type ScheduleSpec, ScheduleSpecSchema } from '@svc/api/resources';
import { Fault, invalidField, parseJsonText } from '../../../base/index.ts';
import { type KindContract, kindContract, type NamespaceFacts, type SpecWrite } from '../../../controllers/contract.ts';
import { messageFromText, parseJsonMap, recordKey } from '../../../resources/index.ts';
import type { ReadTx, ResourceKey, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import type { InputCheck } from './input-check.ts';
import { checkSchedule, fillSchedule } from './schedule-rules.ts';
import { isNamespaceLive, scheduleStatusDependencies, storedStatus } from './schedule-status.ts';
import { type ScheduleFacts, scheduleStatus } from './schedule-status-rules.ts';
import { cancelTimer, settleTimer, timerName } from './schedule-timer.ts';
import { readTiming, scheduleKind } from './timing/index.ts';

export interface ScheduleKindDeps {
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  /** Unix time, micros. */
  readonly now: () => number;
  /** `schedules.minSpacingSeconds`. */
  readonly minSpacingSeconds: number;
  /** `limits.schedulesMax`, per namespace. */
  readonly schedulesMax: number;
  readonly inputCheck: InputCheck;
}

/** Micros at which the grid of an `every` schedule begins; private. */
const ANCHOR = 'svc/~anchor';
/** Micros of the newest instant that was run; private, written with the run. */
export const FIRED_AT = 'svc/~fired-at';
/** Id of the turn or the run of a workflow that the newest run began; private, written with it. */
export const LAST_TURN = 'svc/~last-turn';

/** How schedules are written, whichever operation writes them. */
export const scheduleContract = (deps: ScheduleKindDeps): KindContract =>
  kindContract<ScheduleSpec>({
    kind: 'Schedule',
    defaults: (spec, _key, current) => withoutRepetition(fillSchedule(spec), current),
    validate: (write) => {
      const firedAt = firedAtOf(write.current?.annotations);
      return checkSchedule(write.spec, write.annotations, {
        now: deps.now(),
        minSpacingSeconds: deps.minSpacingSeconds,
        isStored: !write.isSpecChanged,
        ...(firedAt === 0 ? {} : { firedAt }),
      });
    },
    admit: (tx, write) => admit(deps, tx, write),
    systemKeys: async (tx, write) => ({ annotations: { [ANCHOR]: anchorFor(write, tx.now()) } }),
    observe: async (tx, write) => {
      const { key, annotations, generation } = write;
      const deletionTimestamp = write.current?.deletionTimestamp;
      const subject = { key, annotations, generation, deletionTimestamp, spec: write.spec };
      const current = write.current === undefined ? undefined : storedStatus(write.current);
      const isClientWrite = write.occasion === 'write';
      const isWrite = isClientWrite && deletionTimestamp === undefined && !isCompletion(write);
      // Writes of a schedule that no deletion waits for have passed the gate of its namespace.
      const isOpen = isClientWrite || (await isNamespaceLive(deps.namespaces, tx, key.namespace));
      const about = { isWrite, isNamespaceLive: isOpen };
      return scheduleStatus(current, write.spec, await scheduleFacts(tx, subject, about));
    },
    dependsOn: scheduleStatusDependencies,
    applied: (tx, { stored }) => settleTimer(tx, { record: stored, status: storedStatus(stored) }),
    removing: (tx, schedule) => cancelTimer(tx, schedule.key),
  });

const admit = async (deps: ScheduleKindDeps, tx: WriteTx, write: SpecWrite<ScheduleSpec>): Promise<void> => {
  const { namespace } = write.key;
  if (write.current === undefined) await requireRoom(deps, tx, namespace);
  const workflow = write.spec.target?.workflow ?? '';
  const record = workflow === '' ? undefined : await tx.resources.get(recordKey('Workflow', namespace, workflow));
  const schema = record === undefined ? '' : String(parseJsonMap(record.spec)?.['inputSchemaJson'] ?? '');
  if (schema === '') return;
  const [problem] = deps.inputCheck(schema, parseJsonText(write.spec.inputJson === '' ? '{}' : write.spec.inputJson));
  if (problem !== undefined)
    throw invalidField('spec.inputJson', `does not fit workflow ${workflow}: ${problem}`, 'INPUT_JSON');
};

const requireRoom = async (deps: ScheduleKindDeps, tx: WriteTx, namespace: string): Promise<void> => {
  const { schedulesMax: limit } = deps;
  // Two nodes that count at the same time would both find room for the last one. Only those who make schedules here wait.
  await tx.inLine([`schedules of ${namespace}`]);
  if ((await tx.resources.count('Schedule', namespace, limit)) < limit) return;
  throw new Fault('RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', `namespace ${namespace} has ${limit} schedules already`, {
    metadata: { ns: namespace, max: String(limit) },
  });
};

/** The grid restarts only when kind, interval or enabled change. */
const anchorFor = (write: SpecWrite<ScheduleSpec>, now: number): string | undefined => {
  if (scheduleKind(write.spec) !== 'every') return undefined;
  const known = write.current?.annotations[ANCHOR];
  const before = write.current === undefined ? undefined : scheduleSpec(write.current);
  const isSame =
    before !== undefined &&
    scheduleKind(before) === 'every' &&
    before.intervalSeconds === write.spec.intervalSeconds &&
    before.enabled === write.spec.enabled;
  return isSame && known !== undefined ? known : String(now);
};

/** Typed spec of a stored schedule. */
export const scheduleSpec = (record: StoredResource): ScheduleSpec =>
  messageFromText(ScheduleSpecSchema, record.spec) as ScheduleSpec;

/** Where the grid of a stored `every` schedule begins, micros; 0 for the other kinds. */
export const anchorOf = (annotations: Readonly<Record<string, string>>): number => Number(annotations[ANCHOR] ?? 0);

/** The newest instant that a stored schedule has run, micros; 0 before the first. */
export const firedAtOf = (annotations: Readonly<Record<string, string>> = {}): number =>
  Number(annotations[FIRED_AT] ?? 0);

const isRunOf = (spec: ScheduleSpec, current: StoredResource | undefined): boolean => {
  const timing = readTiming(spec);
  return timing?.kind === 'at' && timing.runAt === firedAtOf(current?.annotations);
};

/** A one-shot that has run stays off for that instant, so that a manifest that is applied again changes nothing. */
const withoutRepetition = (spec: ScheduleSpec, current: StoredResource | undefined): ScheduleSpec => {
  if (spec.enabled === false || !isRunOf(spec, current)) return spec;
  const off = clone(ScheduleSpecSchema, spec);
  off.enabled = false;
  return off;
};

/** The write by which a one-shot that has run turns itself off: no client's, so no revision. */
const isCompletion = ({ spec, current }: SpecWrite<ScheduleSpec>): boolean =>
  current !== undefined && scheduleSpec(current).enabled === true && isRunOf(spec, current);

export interface ScheduleSubject {
  readonly key: ResourceKey;
  readonly spec: ScheduleSpec;
  readonly annotations: Readonly<Record<string, string>>;
  readonly generation: number;
  readonly deletionTimestamp?: number | undefined;
}

/** Reads what the status of a schedule depends on. */
export const scheduleFacts = async (
  reads: Pick<ReadTx, 'resources'> & { now(): number },
  subject: ScheduleSubject,
  about: Pick<ScheduleFacts, 'isWrite' | 'isNamespaceLive'>,
): Promise<ScheduleFacts> => {
  const { key, spec, annotations, generation } = subject;
  return {
    ...about,
    now: reads.now(),
    isDeleting: subject.deletionTimestamp !== undefined,
    generation,
    anchor: anchorOf(annotations),
    firedAt: firedAtOf(annotations),
    hasTarget: await hasTarget(reads, key.namespace, spec),
    timer: timerName(key),
  };
};

const hasTarget = async (reads: Pick<ReadTx, 'resources'>, namespace: string, spec: ScheduleSpec): Promise<boolean> => {
  const { agent = '', workflow = '' } = spec.target ?? {};
  const key = agent === '' ? recordKey('Workflow', namespace, workflow) : recordKey('Agent', namespace, agent);
  return (await reads.resources.get(key)) !== undefined;
};

/** Timing of a stored schedule, when it is on; undefined otherwise. */
export const liveTiming = (record: StoredResource) => {
  const spec = scheduleSpec(record);
  return spec.enabled === false ? undefined : readTiming(spec);
};
