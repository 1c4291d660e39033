import type { AppendAudit } from '../../controllers/contract.ts';
import { utcCron } from '../../features/coordination/schedules/index.ts';
import { BackupSchedule, BackupService, backupOperations } from '../../features/platform/backups/index.ts';
import type { Operation } from '../../operations/index.ts';
import type { Config } from '../config/index.ts';
import type { PeriodicJob } from '../periodic.ts';
import { storeEngine } from '../upkeep/index.ts';
import type { Engines } from './engines.ts';

/** How often it is checked whether a backup is due; schedules count in minutes. */
const LOOK_MS = 10_000;

export interface BackupParts {
  readonly operations: readonly Operation[];
  readonly jobs: readonly PeriodicJob[];
  /** Gives up a backup that is being written. */
  close(): Promise<void>;
}

/** Backups of this server by call and by schedule (`backup.*` of the configuration). */
export const wireBackups = (config: Config, engines: Engines, audit: AppendAudit): BackupParts => {
  const { store, blobs, clock, log } = engines;
  const service = new BackupService({
    store,
    blobs,
    clock,
    log,
    audit,
    dir: config.settings['backup.dir'],
    // Looked up when used: a server starts also on an engine that cannot be dumped.
    openDump: async (scratch) => storeEngine(config, engines).dump(scratch),
    version: config.transport.version,
    clusterId: config.clusterId,
  });
  return {
    operations: backupOperations(service),
    jobs: backupJobs(config, engines, service),
    close: () => service.close(),
  };
};

const backupJobs = (
  config: Config,
  { store, clock, random, log }: Engines,
  service: BackupService,
): readonly PeriodicJob[] => {
  const next = utcCron(config.settings['backup.schedule'] ?? '');
  if (next === undefined) return [];
  const keep = config.settings['backup.keep'];
  const schedule = new BackupSchedule({ service, store, clock, random, log, next, keep });
  return [{ name: 'backup-schedule', everyMs: LOOK_MS, tick: () => schedule.tick() }];
};
