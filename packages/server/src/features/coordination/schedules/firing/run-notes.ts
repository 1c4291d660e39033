import { type NamespaceFacts, type ResourceWriter, systemOrigin } from '../../../../controllers/contract.ts';
import type { StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { FIRED_AT, firedAtOf, LAST_TURN, scheduleFacts, scheduleSpec } from '../schedule-kind.ts';
import { isNamespaceLive, storedStatus } from '../schedule-status.ts';
import { type ScheduleFacts, scheduleStatus } from '../schedule-status-rules.ts';
import { settleTimer } from '../schedule-timer.ts';
import { type RunNews, statusWithNews } from './run-rules.ts';

export interface RunNotesDeps {
  readonly writer: Pick<ResourceWriter, 'writeStatus' | 'modify'>;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
}

/** What is noted of a run besides the news in the status. */
export interface RunNote extends Omit<RunNews, 'now'>, Pick<ScheduleFacts, 'lastRun' | 'hasGivenUp'> {
  /** The instant that was run, micros, and the turn that it began. */
  readonly fired?: { readonly instant: number; readonly turnId: string };
  /** The run failed so often, and is tried again at this time, micros. */
  readonly retry?: { readonly failures: number; readonly at: number };
  /** A timer that is set stays as it is. */
  readonly keepsTimer?: boolean;
}

/** Keeps what happens to a schedule in its status, its timer and, for a one-shot that has run, its spec, in the caller's transaction. */
export const noteRun = async (
  { writer, namespaces }: RunNotesDeps,
  { tx, schedule }: { readonly tx: WriteTx; readonly schedule: StoredResource },
  note: RunNote,
): Promise<void> => {
  const { fired, retry, lastRun, hasGivenUp = false, keepsTimer = false, ...news } = note;
  const spec = scheduleSpec(schedule);
  const status = statusWithNews(storedStatus(schedule), { ...news, now: tx.now() });
  const facts = await scheduleFacts(
    { resources: tx.resources, now: () => tx.now() },
    { ...schedule, spec },
    { isWrite: false, isNamespaceLive: await isNamespaceLive(namespaces, tx, schedule.key.namespace) },
  );
  const firedAt = Math.max(firedAtOf(schedule.annotations), fired?.instant ?? 0);
  const judged = scheduleStatus(status, spec, {
    ...facts,
    firedAt,
    hasGivenUp,
    ...(lastRun === undefined ? {} : { lastRun }),
  });
  const system = fired === undefined ? {} : { annotations: { [FIRED_AT]: String(firedAt), [LAST_TURN]: fired.turnId } };
  await writer.writeStatus(tx, schedule.key, () => ({ status: judged, system }));
  await settleTimer(
    tx,
    { record: schedule, status: judged },
    { onlyNew: keepsTimer, ...(retry === undefined ? {} : { retry }) },
  );
  if (spec.enabled === false || judged.phase !== 'Completed') return;
  await writer.modify(tx, systemOrigin('CompleteSchedule'), {
    key: schedule.key,
    change: (current) => ({ spec: { ...scheduleSpec(current), enabled: false } }),
  });
};
