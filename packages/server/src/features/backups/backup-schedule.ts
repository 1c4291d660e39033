import type { Clock } from '../../base/index.ts';
import type { Store } from '../../store/contracts/index.ts';
import type { BackupService } from './backup-service.ts';

export interface BackupScheduleDeps {
  readonly service: Pick<BackupService, 'create' | 'prune'>;
  readonly store: Pick<Store, 'write'>;
  readonly clock: Pick<Clock, 'nowMicros'>;
  /** The next time of `backup.schedule` after this one, Unix milliseconds; undefined when there is none any more. */
  readonly next: (afterMs: number) => number | undefined;
  /** `backup.keep`. */
  readonly keep: number;
}

const ORIGIN = { requestId: '', operation: 'backup.schedule', caller: { identity: 'system' } };
/** Newest time of the schedule that some node took, Unix milliseconds. */
const TAKEN = 'backup.scheduled';

/** Backups that are made by themselves: `tick` looks whether one is due. Times that passed while nothing ran are left out. */
export class BackupSchedule {
  readonly #deps: BackupScheduleDeps;
  #due: number | undefined;

  constructor(deps: BackupScheduleDeps) {
    this.#deps = deps;
    this.#due = deps.next(this.#nowMs());
  }

  /** Makes the backup that is due and removes old ones; true when it made one. A failure is the caller's to tell. */
  async tick(): Promise<boolean> {
    const [now, due] = [this.#nowMs(), this.#due];
    if (due === undefined || now < due) return false;
    this.#due = this.#deps.next(now);
    if (!(await this.#take(due))) return false;
    await this.#deps.service.create('scheduled', ORIGIN);
    await this.#deps.service.prune(this.#deps.keep);
    return true;
  }

  /** One of the nodes makes it. */
  #take(due: number): Promise<boolean> {
    return this.#deps.store.write(async (tx) => {
      if (Number((await tx.instance.value(TAKEN)) ?? 0) >= due) return false;
      await tx.instance.setValue(TAKEN, String(due));
      return true;
    });
  }

  #nowMs(): number {
    return this.#deps.clock.nowMicros() / 1000;
  }
}
