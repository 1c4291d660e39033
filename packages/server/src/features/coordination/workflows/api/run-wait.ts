import type { Clock } from '../../../../base/index.ts';
import type { Bus, Store } from '../../../../store/contracts/index.ts';
import { isRunOver, runSubject } from '../record/index.ts';

export interface RunWaitDeps {
  readonly store: Pick<Store, 'direct'>;
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly clock: Clock;
}

/** How often a run is read meanwhile: events of one that another process moves may not arrive. */
const POLL_MS = 1_000;

/** Resolves once the run has ended or is suspended, the time is over, or the client is gone. */
export const awaitRun = async (
  { store, bus, clock }: RunWaitDeps,
  runId: string,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<void> => {
  const over = new AbortController();
  const cancel = clock.after(waitMs, () => over.abort());
  const ends = AbortSignal.any([over.signal, signal]);
  let notify: () => void = () => undefined;
  const unsubscribe = bus.subscribe(runSubject(runId), () => notify());
  try {
    while (!ends.aborted) {
      const changed = new Promise<void>((resolve) => {
        notify = resolve;
      });
      const row = await store.direct.workflowRuns.get({ id: runId });
      if (row === undefined || row.status === 'SUSPENDED' || isRunOver(row)) return;
      const stopPoll = clock.after(POLL_MS, () => notify());
      ends.addEventListener('abort', notify, { once: true });
      await changed;
      ends.removeEventListener('abort', notify);
      stopPoll();
    }
  } finally {
    unsubscribe();
    cancel();
  }
};
