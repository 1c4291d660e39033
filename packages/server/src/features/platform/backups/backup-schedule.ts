import { type BackoffRule, backoffMs, type Clock, errorText, type Log, type Random } from '../../../base/index.ts';
import { systemOrigin } from '../../../controllers/contract.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { BackupService } from './backup-service.ts';
import { notePendingBackup, type PendingBackup, pendingBackup, settleBackup } from './pending-backup.ts';

interface BackupScheduleDeps {
  readonly service: Pick<BackupService, 'create' | 'prune'>;
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly clock: Pick<Clock, 'nowMicros'>;
  readonly random: Random;
  readonly log: Pick<Log, 'error' | 'info'>;
  /** The next time of `backup.schedule` after this one, Unix milliseconds; undefined when there is none any more. */
  readonly next: (afterMs: number) => number | undefined;
  /** `backup.keep`. */
  readonly keep: number;
}

const ORIGIN = systemOrigin('backup.schedule');
/** Newest time of the schedule that some node took, Unix milliseconds. */
const TAKEN = 'backup.scheduled';
/** Waits between tries of one backup; the next time of the schedule ends them. */
const RETRY: BackoffRule = { firstMs: 60_000, factor: 2, capMs: 3_600_000, jitter: 0.2 };
/** A try that told nothing for so long was killed. */
const LONGEST_MS = 6 * 3_600_000;
/** No clock of another node is ahead by so much: a time beyond was taken by a clock that was wrong. */
const AHEAD_MS = 3_600_000;

/**
 * Backups that are made by themselves: `tick` checks whether one is due, or pending because it failed, here or on another node,
 * or its process was killed. Times that passed while nothing ran are left out.
 */
export class BackupSchedule {
  readonly #deps: BackupScheduleDeps;
  #due: number | undefined;

  constructor(deps: BackupScheduleDeps) {
    this.#deps = deps;
    this.#due = deps.next(this.#nowMs());
  }

  /** Makes the backup that is due or pending and removes old ones; true when it made one. A failure is noted and logged. */
  async tick(): Promise<boolean> {
    const [now, due] = [this.#nowMs(), this.#due];
    // Before its time this is that time again, unless the clock was set back: then it is an earlier one.
    this.#due = this.#deps.next(now);
    if (due !== undefined && now >= due) {
      if (await this.#take(due)) return this.#try({ dueMs: due, tries: 1, nextMs: 0, problem: '' });
    }
    const pending = await pendingBackup(this.#deps.store.direct);
    if (pending === undefined || now < pending.nextMs || !(await this.#takeAgain(pending))) return false;
    return this.#try({ ...pending, tries: pending.tries + 1 });
  }

  async #try(pending: PendingBackup): Promise<boolean> {
    const { service, store, log } = this.#deps;
    try {
      await service.create('scheduled', ORIGIN);
    } catch (error) {
      await this.#fail(pending, error);
      return false;
    }
    await store.write((tx) => settleBackup(tx, pending.dueMs));
    if (pending.tries > 1) log.info('the scheduled backup was made at last', { tries: pending.tries });
    await this.#prune();
    return true;
  }

  /** The backup is made whatever becomes of the old ones: one more would not help, and the next one removes them too. */
  async #prune(): Promise<void> {
    const { service, keep, log } = this.#deps;
    try {
      await service.prune(keep);
    } catch (error) {
      log.error('old scheduled backups could not be removed', { keep, problem: errorText(error) }, error);
    }
  }

  /** The store may be what failed: then nothing is noted, and the backup is pending when this try counts as killed. */
  async #fail(pending: PendingBackup, error: unknown): Promise<void> {
    const { store, log, random } = this.#deps;
    const waitMs = backoffMs(RETRY, pending.tries, random);
    const problem = errorText(error);
    const retry = { tries: pending.tries, retry_seconds: Math.round(waitMs / 1000), problem };
    log.error('a scheduled backup failed', retry, error);
    await store.write(async (tx) => {
      // Another node may have made it meanwhile, or have taken the next one.
      if ((await pendingBackup(tx))?.dueMs === pending.dueMs)
        await notePendingBackup(tx, { ...pending, nextMs: this.#nowMs() + waitMs, problem });
    });
  }

  /** One of the nodes makes it. */
  #take(due: number): Promise<boolean> {
    return this.#deps.store.write(async (tx) => {
      const taken = Number((await tx.instance.value(TAKEN)) ?? 0);
      if (taken >= due && taken <= this.#nowMs() + AHEAD_MS) return false;
      await tx.instance.setValue(TAKEN, String(due));
      await notePendingBackup(tx, { dueMs: due, tries: 1, nextMs: this.#nowMs() + LONGEST_MS, problem: '' });
      return true;
    });
  }

  /** One of the nodes tries again. */
  #takeAgain(seen: PendingBackup): Promise<boolean> {
    return this.#deps.store.write(async (tx) => {
      const pending = await pendingBackup(tx);
      if (pending === undefined || pending.dueMs !== seen.dueMs || pending.nextMs !== seen.nextMs) return false;
      await notePendingBackup(tx, { ...pending, nextMs: this.#nowMs() + LONGEST_MS });
      return true;
    });
  }

  #nowMs(): number {
    return this.#deps.clock.nowMicros() / 1000;
  }
}
