import { loadMigrations } from '../migrations/index.ts';
import { Database, type DatabaseOptions, statement } from './connection/index.ts';

/** Findings about the database of a running store; numbers of migrations, as `examineSqlite` answers them. */
export interface DatabaseExamination {
  readonly schema: number;
  readonly known: number;
  /** What the server itself found broken; empty = sound, as far as it looked. */
  readonly problems: readonly string[];
}

const SCHEMA = statement<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM schema_migrations');
const BROKEN_INDEXES = statement<{ name: string }>(
  `SELECT c.relname::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
   JOIN pg_namespace n ON n.oid = c.relnamespace WHERE NOT i.indisvalid AND n.nspname = current_schema() ORDER BY c.relname`,
);
/** Counted only where the server keeps checksums of pages. */
const BROKEN_PAGES = statement<{ pages: number | null }>(
  'SELECT checksum_failures AS pages FROM pg_stat_database WHERE datname = current_database()',
);

/** Asks the server on a connection of its own; rejects when it cannot be reached or the signal aborted. */
export const examinePostgres = async (
  options: Pick<DatabaseOptions, 'url' | 'log'>,
  signal: AbortSignal,
): Promise<DatabaseExamination> => {
  const database = new Database({ ...options, poolSize: 1, isSynced: true });
  try {
    signal.throwIfAborted();
    const schema = (await database.one(SCHEMA)).version;
    const indexes = (await database.rows(BROKEN_INDEXES)).map(({ name }) => `index ${name} is not valid: REINDEX it`);
    const pages = (await database.one(BROKEN_PAGES)).pages ?? 0;
    const damaged = pages > 0 ? [`${pages} pages did not fit their checksums`] : [];
    return { schema, known: loadMigrations('postgres').at(-1)?.version ?? 0, problems: [...damaged, ...indexes] };
  } finally {
    await database.close();
  }
};
