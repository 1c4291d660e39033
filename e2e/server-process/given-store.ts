import process from 'node:process';
import { PostgresService } from '../postgres-server/index.ts';

type Environment = Readonly<Record<string, string>>;

/** One for all files of a test process, with which it ends: it takes longer to start than most of what is asked of it. */
let service: Promise<PostgresService> | undefined;
const databases = new Map<string, Promise<string>>();

const startService = async (): Promise<PostgresService> => {
  const started = await PostgresService.start({ outlivesFile: true });
  if (started === undefined) throw new Error('SVC_E2E_STORE=postgres needs PostgreSQL');
  return started;
};

const takeDatabase = async (): Promise<string> => {
  service ??= startService();
  return (await service).takeDatabase();
};

/**
 * Configuration of the store that this run is about: none, which is SQLite, or with SVC_E2E_STORE=postgres a database for each
 * data directory. A test that names a store of its own has that one.
 */
export const givenStore = async (dataDir: string, environment: Environment): Promise<Environment> => {
  if (process.env['SVC_E2E_STORE'] !== 'postgres' || environment['SVC_STORE_URL'] !== undefined) return {};
  const url = databases.get(dataDir) ?? takeDatabase();
  databases.set(dataDir, url);
  return { SVC_STORE_URL: await url };
};

/** Gives back the database of a data directory that is removed, if it had one. */
export const returnStore = async (dataDir: string): Promise<void> => {
  const url = databases.get(dataDir);
  databases.delete(dataDir);
  if (url !== undefined) await (await service)?.giveDatabase(await url);
};
