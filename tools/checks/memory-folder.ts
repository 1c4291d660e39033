import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** Where Linux keeps a file system in memory; elsewhere there is none. */
const MEMORY = '/dev/shm';
/** Many times what two test files hold at once. */
const ROOM_BYTES = 8 * 1024 ** 3;

/**
 * A folder in memory for the database servers of one run of tests: a database is hundreds of small files, which a disk takes
 * five times as long to make and remove. What is left there goes with the run, also when that was killed, and with the checks,
 * also when they are interrupted. Other users may pass through, since PostgreSQL refuses to run as root.
 */
export class MemoryFolder implements Disposable {
  /** Undefined where there is no file system in memory, or too little room: tests take their temporary folder. */
  readonly path: string | undefined;
  readonly #remove = (): void => {
    // Processes of a database whose main one was killed write on until they notice.
    if (this.path !== undefined) rmSync(this.path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  };

  constructor(parent = MEMORY, roomBytes = ROOM_BYTES) {
    if (!hasRoom(parent, roomBytes)) return;
    this.path = mkdtempSync(join(parent, 'svc-run-'));
    chmodSync(this.path, 0o755);
    process.once('exit', this.#remove);
  }

  [Symbol.dispose](): void {
    process.off('exit', this.#remove);
    this.#remove();
  }
}

function hasRoom(folder: string, roomBytes: number): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= roomBytes;
}
