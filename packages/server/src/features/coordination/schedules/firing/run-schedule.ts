import { create } from '@bufbuild/protobuf';
import { type RunScheduleRequest, type RunScheduleResponse, RunScheduleResponseSchema } from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import type { AppendAudit } from '../../../../controllers/contract.ts';
import { formatKey, recordKey, resourceDeleting, resourceNotFound } from '../../../../resources/index.ts';
import type { Store } from '../../../../store/contracts/index.ts';
import { firedAtOf } from '../schedule-kind.ts';
import { noteRun, type RunNotesDeps } from './run-notes.ts';
import { type RunStarts, runName, startRun } from './start-run.ts';

export interface RunScheduleDeps extends RunStarts, RunNotesDeps {
  readonly store: Pick<Store, 'write'>;
  readonly audit: AppendAudit;
}

/**
 * RunSchedule: starts the target once, now, also of a schedule that is off. When it runs next stays. Throws what starting throws; then nothing is
 * noted.
 */
export const runSchedule = (
  deps: RunScheduleDeps,
  { ns, name }: RunScheduleRequest,
  call: CallContext,
): Promise<RunScheduleResponse> =>
  deps.store.write(async (tx) => {
    const key = recordKey('Schedule', ns, name);
    const schedule = await tx.resources.get(key);
    if (schedule === undefined) throw resourceNotFound(key);
    if (schedule.deletionTimestamp !== undefined) throw resourceDeleting(key);
    const started = await startRun(deps, tx, { schedule, instant: tx.now() });
    await noteRun(
      deps,
      { tx, schedule },
      {
        events: [['manual', 'success', runName(started)]],
        startedIn: started.sessionId || started.runId,
        fired: { instant: firedAtOf(schedule.annotations), turnId: started.turnId || started.runId },
        keepsTimer: true,
      },
    );
    const target = formatKey(key);
    await deps.audit(tx, call, { target, namespace: ns, resourceVersion: String(schedule.version), outcome: 'ok' });
    return create(RunScheduleResponseSchema, started);
  });
