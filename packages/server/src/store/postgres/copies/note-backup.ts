import { INSTANCE_LAST_BACKUP } from '../../contracts/index.ts';
import { statement, toCallerError } from '../connection/index.ts';
import { type CopyOptions, OwnSession } from './own-session.ts';

const NOTE = statement(
  'INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);

/** Notes that a whole backup was made, for the migrations that ask for one, without the store being opened. */
export const notePostgresBackup = async (options: CopyOptions, atMicros: number): Promise<void> => {
  const own = await OwnSession.begin(options, 'BEGIN');
  try {
    await own.session.run(NOTE, [INSTANCE_LAST_BACKUP, String(atMicros)]);
    await own.commit();
  } catch (error) {
    await own.rollback();
    throw toCallerError(error);
  }
};
