import { join, resolve } from 'node:path';
import { configInForce } from '../config-place.ts';
import type { GlobalOptions } from '../connection.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host, ServerModule } from '../host.ts';
import { userDirectory } from '../profiles.ts';

export interface StoreOptions extends GlobalOptions {
  readonly config?: string;
  readonly dataDir?: string;
}

export interface LocalStore {
  readonly server: ServerModule;
  readonly upkeep: ReturnType<ServerModule['openUpkeep']>;
  readonly dataDir: string;
}

/** The store that a server on this machine uses, or would use: by default that of `svc up`. */
export const openLocalStore = async (host: Host, options: StoreOptions): Promise<LocalStore> => {
  const server = await host.loadServer();
  const load = (dataDir: string | undefined) =>
    server.loadConfig({
      flags: {
        config: options.config === undefined ? configInForce(host) : resolve(host.cwd, options.config),
        dataDir: dataDir === undefined ? undefined : resolve(host.cwd, dataDir),
      },
      environment: host.environment,
      cwd: host.cwd,
    });
  let { config, origins } = load(options.dataDir);
  const isChosen = options.dataDir !== undefined || origins.has('dataDir');
  if (!isChosen && host.files.facts(join(config.dataDir, 'svc.db')) === undefined)
    ({ config } = load(userDirectory(host, 'data')));
  return { server, upkeep: server.openUpkeep(config, host.environment), dataDir: config.dataDir };
};

const hints: Readonly<Record<string, string>> = {
  DATA_DIR_IN_USE: 'stop the server first',
  STORE_MISSING: 'name another one with --data-dir or --config',
  STORAGE: 'is there room for a second copy of the database next to the archive? `svc doctor` checks the disk',
  STORE_DAMAGED: 'bring a backup back with `svc restore FILE --replace`',
  KEY_FILE: 'name the directory of the server with --data-dir',
  ARCHIVE_UNKNOWN: 'name a file that `svc backup` wrote; is the path right?',
  ARCHIVE_DAMAGED: 'use another backup; `svc backup --verify FILE` checks one',
  PASSPHRASE: 'from --passphrase-file, SVC_PASSPHRASE, or typed',
  SCHEMA_TOO_NEW: '`svc version` tells which release this is',
};

/** Runs work of the server package in this process; its faults become messages for the person. */
export const explained = async <T>(server: ServerModule, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!server.isFault(error)) throw error;
    throw new CommandFailure(`${error.message} (${error.reason})`, {
      exitCode: error.code === 'NOT_FOUND' ? exitCodes.notFound : exitCodes.refused,
      hint: hints[error.reason],
      cause: error,
    });
  }
};
