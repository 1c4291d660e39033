import type { DumpRow, DumpTable, StoreDump } from '../../contracts/index.ts';
import { composed, toCallerError } from '../connection/index.ts';
import { type CopyOptions, OwnSession } from './own-session.ts';

/** Rows read in one go. */
const BATCH_ROWS = 200;
const APPLIED = composed<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM schema_migrations');

/** One snapshot of the database, beside whoever writes. Fault UNAVAILABLE STORAGE when it cannot be reached. */
export const openPostgresDump = async (options: CopyOptions): Promise<StoreDump> => {
  const own = await OwnSession.begin(options, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    return new PostgresDump(own, (await own.session.first(APPLIED))?.version ?? 0);
  } catch (error) {
    await own.rollback();
    throw toCallerError(error);
  }
};

class PostgresDump implements StoreDump {
  readonly engine = 'postgres';
  readonly schema: number;
  readonly #own: OwnSession;

  constructor(own: OwnSession, schema: number) {
    this.#own = own;
    this.schema = schema;
  }

  async *rows(table: DumpTable): AsyncGenerator<DumpRow> {
    const { session } = this.#own;
    const cursor = `dump_${table.name}`;
    const names = Object.keys(table.columns).join(', ');
    try {
      await session.script(
        `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${names} FROM ${table.name} ORDER BY ${table.order.join(', ')}`,
      );
      const fetch = composed<DumpRow>(`FETCH ${BATCH_ROWS} FROM ${cursor}`);
      for (let batch = await session.rows(fetch); batch.length > 0; batch = await session.rows(fetch)) yield* batch;
      await session.script(`CLOSE ${cursor}`);
    } catch (error) {
      throw toCallerError(error);
    }
  }

  async close(): Promise<void> {
    await this.#own.rollback();
  }
}
