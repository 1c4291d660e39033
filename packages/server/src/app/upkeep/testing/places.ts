import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, type Random, seededRandom, silentLog } from '../../../base/index.ts';
import { createLocalBlobs } from '../../../store/blobs/local/index.ts';
import { type BlobStore, DUMP_TABLES, type DumpRow, type Store } from '../../../store/contracts/index.ts';
import { openSqliteDump, openSqliteStore } from '../../../store/sqlite/index.ts';
import { type Config, loadConfig } from '../../config/index.ts';
import type { UpkeepHost } from '../store-engine.ts';
import { createUpkeep, type Upkeep } from '../upkeep.ts';

/** A data directory of its own, with what opens it. */
export interface Place {
  readonly dataDir: string;
  readonly config: Config;
  readonly upkeep: Upkeep;
  /** Opens store and objects as a server would; the test closes the store. */
  open(): Promise<{ readonly store: Store; readonly blobs: BlobStore }>;
  /** Every row that the closed or running store holds, by table. */
  rows(): Promise<Readonly<Record<string, readonly DumpRow[]>>>;
}

/** Directories of one test; `dispose` removes them all. */
export class Places {
  readonly root = mkdtempSync(join(tmpdir(), 'svc-upkeep-'));
  readonly clock = new ManualClock();
  readonly random: Random = seededRandom(7);
  readonly log = silentLog;
  /** Replaced by tests that end a restore in the middle. */
  faultPoint: (point: string) => void = () => undefined;
  #count = 0;

  get host(): UpkeepHost {
    const { clock, random, log } = this;
    return { clock, random, log, faultPoint: (point) => this.faultPoint(point) };
  }

  /** A directory that does not exist yet; `more` is further configuration. */
  place(name = `place-${++this.#count}`, more: Readonly<Record<string, string>> = {}): Place {
    const dataDir = join(this.root, name);
    const flags = { dataDir, 'store.sync': 'off', ...more };
    const { config } = loadConfig({ flags, environment: {}, cwd: this.root });
    const { clock, random, log } = this;
    return {
      ...{ dataDir, config, upkeep: createUpkeep(config, this.host) },
      open: async () => {
        const fatal = (error: unknown): never => {
          throw error;
        };
        const store = await openSqliteStore({ dataDir, clock, random, log, fatal, durability: 'off' });
        return { store, blobs: createLocalBlobs({ dir: join(dataDir, 'objects'), random }) };
      },
      rows: async () => {
        const copy = join(this.root, `copy-${++this.#count}.db`);
        const dump = await openSqliteDump({ file: join(dataDir, 'svc.db'), copy });
        const found: Record<string, readonly DumpRow[]> = {};
        for (const table of DUMP_TABLES) found[table.name] = await Array.fromAsync(dump.rows(table));
        await dump.close();
        return found;
      },
    };
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
