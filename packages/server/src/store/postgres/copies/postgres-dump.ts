import type { DumpRow, DumpTable, StoreDump } from '../../contracts/index.ts';
import { composed, toCallerError } from '../connection/index.ts';
import { appliedVersion, storeMissing } from '../migrate.ts';
import { NEWEST_ACTIVITY } from '../tables/index.ts';
import { type CopyOptions, OwnSession } from './own-session.ts';

/** Rows read in one go. */
const BATCH_ROWS = 200;
/** The schema from which activity is in more than one table. */
const ACTIVITY_SLOTS = 5;

/**
 * One snapshot of the database, while others write. Faults: UNAVAILABLE STORAGE when it cannot be reached, NOT_FOUND
 * STORE_MISSING for one without a schema of svc.
 */
export const openPostgresDump = async (options: CopyOptions): Promise<StoreDump> => {
  const own = await OwnSession.begin(options, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    const schema = await appliedVersion(own.session);
    if (schema === 0) throw storeMissing();
    return new PostgresDump(own, schema);
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
        `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${names} FROM ${this.#sourceOf(table)} ORDER BY ${table.order.join(', ')}`,
      );
      const fetch = composed<DumpRow>(`FETCH ${BATCH_ROWS} FROM ${cursor}`);
      for (let batch = await session.rows(fetch); batch.length > 0; batch = await session.rows(fetch)) yield* batch;
      await session.script(`CLOSE ${cursor}`);
    } catch (error) {
      throw toCallerError(error);
    }
  }

  /** The newest of the rows that one uid has (0005). */
  #sourceOf({ name }: DumpTable): string {
    return name === 'activity' && this.schema >= ACTIVITY_SLOTS ? `(${NEWEST_ACTIVITY}) AS activity` : name;
  }

  async close(): Promise<void> {
    await this.#own.rollback();
  }
}
