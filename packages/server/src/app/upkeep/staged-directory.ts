import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/index.ts';
import { INSTANCE_RESTORE, type Store } from '../../store/contracts/index.ts';

/** Says that a restore was cut off while it changed the directory; the server does not start then. */
const MARKER = 'restore.json';
/** What the marker becomes when the directory is whole; a database elsewhere may not know it yet. The next server start removes it. */
const DONE = 'restored.json';
const STAGING = 'restoring';
/** What a restore replaces: the database with its log, objects, keys. */
const PARTS = ['svc.db', 'svc.db-wal', 'svc.db-shm', 'objects', 'keys'] as const;

interface Marker {
  /** Folder below the data directory with what was there before; absent where nothing was. */
  readonly safety?: string;
  /** RFC 3339. */
  readonly at: string;
  /** What a database elsewhere says of the same restore; absent where the database is a part of the directory. */
  readonly token?: string;
}

const readMarker = (dataDir: string, name = MARKER): Marker | undefined => {
  const path = join(dataDir, name);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Marker) : undefined;
};

/** The marker of a restore of which only the database does not know that it is done; undefined for one into another database. */
const wholeFor = (dataDir: string, token: string | undefined): Marker | undefined => {
  const marker = token === undefined ? undefined : readMarker(dataDir, DONE);
  return marker?.token === token ? marker : undefined;
};

/**
 * FAILED_PRECONDITION TARGET_NOT_EMPTY for a restore that was ended before it could say that it was done: what is there is what it
 * made. `epoch` is that of a database elsewhere; undefined for any other state.
 */
export const restoredAlready = (dataDir: string, epoch: string | undefined): Fault | undefined => {
  const marker = readMarker(dataDir, DONE);
  if (epoch === undefined || marker?.token !== epoch) return undefined;
  return new Fault(
    'FAILED_PRECONDITION',
    'TARGET_NOT_EMPTY',
    `the restore of ${marker.at} is complete, in ${dataDir} and in the database of store.url: start the server, ` +
      'or restore once more with `svc restore --replace`',
  );
};

/** Fault FAILED_PRECONDITION RESTORE_UNFINISHED for a data directory that must be restored again. */
export const requireWholeDirectory = (dataDir: string): void => {
  const marker = readMarker(dataDir);
  if (marker === undefined) return;
  const before = marker.safety === undefined ? '' : `; what was there before is in ${join(dataDir, marker.safety)}`;
  throw new Fault(
    'FAILED_PRECONDITION',
    'RESTORE_UNFINISHED',
    `a restore into ${dataDir} was cut off at ${marker.at}: run \`svc restore\` again${before}`,
  );
};

/**
 * Looks for a restore into a database elsewhere that was cut off. One of which everything but the end was done is ended;
 * Fault FAILED_PRECONDITION RESTORE_UNFINISHED for any other. What the directory keeps of a restore into another database is
 * forgotten: from now on it belongs to this one.
 */
export const requireWholeDatabase = async (dataDir: string, store: Pick<Store, 'direct' | 'write'>): Promise<void> => {
  const token = await store.direct.instance.value(INSTANCE_RESTORE);
  if (token !== undefined) {
    if (wholeFor(dataDir, token) === undefined) throw databaseUnfinished();
    await store.write((tx) => tx.instance.removeValue(INSTANCE_RESTORE));
  }
  rmSync(join(dataDir, DONE), { force: true });
};

/** The database holds part of a backup only. */
export const databaseUnfinished = (): Fault =>
  new Fault(
    'FAILED_PRECONDITION',
    'RESTORE_UNFINISHED',
    'a restore into the database of store.url was cut off: run `svc restore` again',
  );

/** Puts a file, or the names in a folder, on disk. */
const syncPath = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

interface StagingOptions {
  readonly dataDir: string;
  /** True: what is there is kept in a folder of its own and replaced. */
  readonly isReplacing: boolean;
  /** What a database elsewhere says of a restore into it that was cut off. */
  readonly token?: string | undefined;
  readonly nowMicros: number;
  /** Called before each step that changes the directory, as `restore.begin`, `restore.part` and `restore.end`. */
  readonly faultPoint: (point: string) => void;
}

/**
 * The parts of a data directory, made apart and put in place when they are whole. Until `begin` the directory is untouched;
 * from then to the end of `commit` its marker says that it must be restored again. Held under the lock of the directory.
 */
export class StagedDirectory {
  readonly #dataDir: string;
  readonly #nowMicros: number;
  readonly #faultPoint: (point: string) => void;
  readonly #earlier: Marker | undefined;
  readonly #safety: string | undefined;
  #hasToken = false;

  /** Fault FAILED_PRECONDITION TARGET_NOT_EMPTY when something is there that may not be replaced. */
  constructor({ dataDir, isReplacing, token, nowMicros, faultPoint }: StagingOptions) {
    this.#faultPoint = faultPoint;
    this.#dataDir = dataDir;
    this.#nowMicros = nowMicros;
    this.#earlier = readMarker(dataDir) ?? wholeFor(dataDir, token);
    const present = PARTS.filter((part) => part !== 'keys' && existsSync(join(dataDir, part)));
    if (this.#earlier === undefined && !isReplacing && present.length > 0)
      throw new Fault(
        'FAILED_PRECONDITION',
        'TARGET_NOT_EMPTY',
        `${dataDir} is not empty (${present.join(', ')}): restore into another directory, or run \`svc restore --replace\``,
      );
    const fresh = isReplacing ? `before-restore-${nowMicros}` : undefined;
    this.#safety = this.#earlier === undefined ? fresh : this.#earlier.safety;
    rmSync(join(dataDir, STAGING), { recursive: true, force: true });
    mkdirSync(join(dataDir, STAGING), { mode: 0o700 });
  }

  /** Absolute; undefined where nothing was to be kept. */
  get safety(): string | undefined {
    return this.#safety === undefined ? undefined : join(this.#dataDir, this.#safety);
  }

  /** Where a part is made. */
  path(part: (typeof PARTS)[number]): string {
    return join(this.#dataDir, STAGING, part);
  }

  /** From now on the directory is neither the old one nor the new one. `token`: see Marker. Durable when it returns. */
  begin(token?: string): void {
    this.#hasToken = token !== undefined;
    this.#faultPoint('restore.begin');
    const at = new Date(Math.floor(this.#nowMicros / 1000)).toISOString();
    const marker: Marker = {
      at,
      ...(this.#safety === undefined ? {} : { safety: this.#safety }),
      ...(token === undefined ? {} : { token }),
    };
    // Whole or not at all: without the name of the safety copy the old database would be taken for half a new one.
    const draft = join(this.#dataDir, STAGING, MARKER);
    const fd = openSync(draft, 'wx', 0o600);
    try {
      writeSync(fd, `${JSON.stringify(marker)}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, join(this.#dataDir, MARKER));
    syncPath(this.#dataDir);
  }

  /** Moves away what was there and puts every part that was made in its place. Keys stay where none were made. */
  commit(): void {
    if (this.safety !== undefined) mkdirSync(this.safety, { recursive: true, mode: 0o700 });
    for (const part of PARTS) {
      const isMade = existsSync(this.path(part));
      this.#faultPoint('restore.part');
      if (part !== 'keys' || isMade) this.#clear(part);
      this.#faultPoint('restore.part');
      if (isMade) renameSync(this.path(part), join(this.#dataDir, part));
    }
    if (this.safety !== undefined) syncPath(this.safety);
    syncPath(this.#dataDir);
    this.#faultPoint('restore.end');
    if (this.#hasToken) renameSync(join(this.#dataDir, MARKER), join(this.#dataDir, DONE));
    else for (const name of [MARKER, DONE]) rmSync(join(this.#dataDir, name), { force: true });
    this.discard();
    syncPath(this.#dataDir);
    if (this.#hasToken) this.#faultPoint('restore.whole');
  }

  /** Forgets what was made. */
  discard(): void {
    rmSync(join(this.#dataDir, STAGING), { recursive: true, force: true });
  }

  /** What a restore before this one put there goes; what was there before all of them is kept, and keys always are. */
  #clear(part: string): void {
    const path = join(this.#dataDir, part);
    if (!existsSync(path)) return;
    const kept = this.safety === undefined ? undefined : join(this.safety, part);
    if (kept !== undefined && !existsSync(kept)) renameSync(path, kept);
    else if (part === 'keys') renameSync(path, join(this.#dataDir, `keys-before-restore-${this.#nowMicros}`));
    else rmSync(path, { recursive: true });
  }
}
