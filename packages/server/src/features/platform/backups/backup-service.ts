import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditOrigin } from '../../../auth/index.ts';
import { type Clock, Fault, isFault, type Log, makeDirectory } from '../../../base/index.ts';
import type { AppendAudit } from '../../../controllers/contract.ts';
import { type BlobStore, INSTANCE_LAST_BACKUP, type Store, type StoreDump } from '../../../store/contracts/index.ts';
import { type WrittenArchive, writeArchive } from './archive/index.ts';
import { settleFailedBackup } from './pending-backup.ts';

interface BackupServiceDeps {
  readonly store: Pick<Store, 'write'>;
  readonly blobs: Pick<BlobStore, 'stream'>;
  /** Takes the state of the store; `scratch` is a path that the engine may use until the dump is closed. */
  readonly openDump: (scratch: string) => Promise<StoreDump>;
  readonly clock: Pick<Clock, 'nowMicros'>;
  readonly audit: AppendAudit;
  readonly log: Log;
  /** `backup.dir`; made when missing. */
  readonly dir: string;
  readonly version: string;
  readonly clusterId: string;
}

/** Who made a backup: people as often as they like, the schedule as many as `backup.keep`. */
type BackupSeries = 'svc' | 'scheduled';

interface MadeBackup extends WrittenArchive {
  /** Absolute. */
  readonly path: string;
}

const ARCHIVE_NAME = /^(svc|scheduled)-\d{8}-\d{6}-\d{6}\.tar\.zst$/;
/** What a process that was killed left of a backup. */
const LEFTOVER = /^(?:svc|scheduled)-(\d{8}-\d{6}-\d{6})\.tar\.zst\.(?:part|scratch\S*)$/;
const DAY_MICROS = 86_400_000_000;
/** Clocks of the servers that share the directory differ by less. */
const AHEAD_MICROS = 3_600_000_000;
const ENDED = new Fault('UNAVAILABLE', 'SHUTTING_DOWN', 'the server stops: the backup was given up');

/** `20260301-120000-000000`, UTC: names in the order of time. */
const stampOf = (micros: number): string => {
  const text = new Date(Math.floor(micros / 1000)).toISOString();
  const [date, time] = [text.slice(0, 10).replaceAll('-', ''), text.slice(11, 19).replaceAll(':', '')];
  return `${date}-${time}-${String(micros % 1_000_000).padStart(6, '0')}`;
};

/** Backups of a running server: one at a time, in the order in which they were asked for. */
export class BackupService {
  readonly #deps: BackupServiceDeps;
  readonly #ending = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  /** Time in the name of the newest one: names never repeat, whatever the wall clock does. */
  #named = 0;

  constructor(deps: BackupServiceDeps) {
    this.#deps = deps;
  }

  /** Writes one below `backup.dir`. Fault FAILED_PRECONDITION BACKUP_DIR when nothing can be written there. */
  create(series: BackupSeries, origin: AuditOrigin): Promise<MadeBackup> {
    const made = this.#last.then(() => this.#create(series, origin));
    this.#last = made.catch(() => undefined);
    return made;
  }

  /** Removes the oldest scheduled backups until `keep` are left; those that a wrong clock dated ahead count as older than others. */
  async prune(keep: number): Promise<void> {
    const { dir, clock } = this.#deps;
    const newest = stampOf(Math.max(clock.nowMicros(), this.#named) + AHEAD_MICROS);
    const names = (await readdir(dir)).filter((name) => ARCHIVE_NAME.exec(name)?.[1] === 'scheduled').sort();
    const { ahead = [], others = [] } = Object.groupBy(names, (name) =>
      name > `scheduled-${newest}` ? 'ahead' : 'others',
    );
    for (const name of [...ahead, ...others].slice(0, -keep)) await rm(join(dir, name), { force: true });
  }

  /** Gives up what is being written; resolves when nothing is any more. */
  async close(): Promise<void> {
    this.#ending.abort(ENDED);
    await this.#last;
  }

  async #create(series: BackupSeries, origin: AuditOrigin): Promise<MadeBackup> {
    this.#ending.signal.throwIfAborted();
    const { clock, dir, log, store, audit } = this.#deps;
    const micros = Math.max(clock.nowMicros(), this.#named + 1);
    this.#named = micros;
    const path = join(dir, `${series}-${stampOf(micros)}.tar.zst`);
    const written = await this.#write(path, micros).catch((error: unknown) => {
      throw isFault(error) && error.reason !== 'DIRECTORY_UNUSABLE' ? error : notWritable(dir, error);
    });
    // The commit that notes the backup is on disk after every commit that the dump saw.
    await store.write(async (tx) => {
      await tx.instance.setValue(INSTANCE_LAST_BACKUP, String(tx.now()));
      if (series === 'svc') await settleFailedBackup(tx);
      await audit(tx, origin, { target: `Backup/${path}`, namespace: '', resourceVersion: '', outcome: 'created' });
    });
    const lost = written.manifest.lost_objects.length;
    if (lost > 0) log.warn('objects are missing from the backup: they are lost or damaged', { path, lost });
    log.info('backup written', { path, bytes: written.sizeBytes, objects: written.manifest.objects.count });
    return { ...written, path };
  }

  /** Other servers may use the directory too: what is younger than a day may be theirs, and be written still. */
  async #tidy(micros: number): Promise<void> {
    const { dir } = this.#deps;
    const limit = stampOf(micros - DAY_MICROS);
    const old = (await readdir(dir)).filter((name) => (LEFTOVER.exec(name)?.[1] ?? limit) < limit);
    for (const name of old) await rm(join(dir, name), { force: true });
  }

  async #write(path: string, micros: number): Promise<WrittenArchive> {
    const { dir, openDump, blobs, version, clusterId } = this.#deps;
    makeDirectory(dir);
    await this.#tidy(micros);
    const dump = await openDump(`${path}.scratch`);
    try {
      const created = new Date(Math.floor(micros / 1000)).toISOString();
      const facts = { svc: version, cluster_id: clusterId, created_at: created };
      return await writeArchive(path, { dump, blobs, facts, signal: this.#ending.signal });
    } finally {
      await dump.close();
    }
  }
}

const notWritable = (dir: string, cause: unknown): Fault =>
  new Fault(
    'FAILED_PRECONDITION',
    'BACKUP_DIR',
    `no backup can be written to ${dir}: ${cause instanceof Error ? cause.message : String(cause)}`,
    { cause },
  );
