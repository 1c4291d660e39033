import type { Random } from '../../../base/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FeatureModule, PeriodicJob } from '../../module-contract.ts';
import { backupOperations } from './backup-operations.ts';
import { BackupSchedule, type BackupScheduleDeps } from './backup-schedule.ts';
import { BackupService, type BackupServiceDeps } from './backup-service.ts';
import { failedTries, type PendingBackup, pendingBackup } from './pending-backup.ts';

/** How often it is checked whether a backup is due; schedules count in minutes. */
const DUE_CHECK_MS = 10_000;

interface BackupsModuleDeps extends Omit<BackupServiceDeps, 'dir'> {
  readonly store: Store;
  readonly random: Random;
  /** The next time of a cron text in UTC; undefined for a text that is none. */
  readonly utcCron: (text: string) => BackupScheduleDeps['next'] | undefined;
  readonly settings: {
    readonly 'backup.dir': string;
    readonly 'backup.schedule'?: string | undefined;
    readonly 'backup.keep': number;
  };
}

export interface BackupsModule extends FeatureModule {
  /** The scheduled backup that is due and not made yet. */
  readonly pending: () => Promise<PendingBackup | undefined>;
  /** How often the pending one failed. */
  readonly failures: () => Promise<number>;
  /** Gives up a backup that is being written. */
  close(): Promise<void>;
}

/** Backups of this server by call and by schedule. */
export const backupsModule = (deps: BackupsModuleDeps): BackupsModule => {
  const service = new BackupService({ ...deps, dir: deps.settings['backup.dir'] });
  const pending = (): Promise<PendingBackup | undefined> => pendingBackup(deps.store.direct);
  return {
    operations: backupOperations(service),
    jobs: scheduled(deps, service),
    pending,
    failures: async () => failedTries(await pending()),
    close: () => service.close(),
  };
};

const scheduled = (deps: BackupsModuleDeps, service: BackupService): readonly PeriodicJob[] => {
  const next = deps.utcCron(deps.settings['backup.schedule'] ?? '');
  if (next === undefined) return [];
  const schedule = new BackupSchedule({ ...deps, service, next, keep: deps.settings['backup.keep'] });
  return [{ name: 'backup-schedule', everyMs: DUE_CHECK_MS, tick: () => schedule.tick() }];
};
