/**
 * The process: reads its configuration, starts the app, waits for a signal, stops. Everything that is read from outside,
 * environment, clock, randomness, standard error, enters here and is handed on.
 */

import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { type Config, type ConfigFault, type LoadedConfig, type LoadOptions, loadConfig } from './app/config/index.ts';
import {
  type Activity,
  createFaultPoint,
  governMemory,
  processMemory,
  type RunningServer,
  startApp,
} from './app/index.ts';
import { createLog, quietLog, stderrWriter } from './app/telemetry/index.ts';
import { createUpkeep, type Upkeep } from './app/upkeep/index.ts';
import { guardedClock, LineBroadcast, silentLog, systemClock, systemRandom } from './base/index.ts';

export { ConfigError, configurationValues, loadConfig } from './app/config/index.ts';
export type { RunningServer } from './app/index.ts';
export { holdDataDirectory } from './app/upkeep/index.ts';
export { isFault } from './base/index.ts';

export interface StartOptions {
  /** Values by configuration key, `config` for a file. */
  readonly flags?: LoadOptions['flags'];
  readonly environment?: LoadOptions['environment'];
  /** Absolute; default the process's. */
  readonly cwd?: string;
  /** Told what does not stop the start, such as unknown keys. */
  readonly onWarning?: (warning: ConfigFault) => void;
}

/** Backup, restore and migrations of the configured store, for a process that starts no server. */
export const openUpkeep = (config: Config, environment: NonNullable<LoadOptions['environment']>): Upkeep =>
  createUpkeep(config, {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    faultPoint: createFaultPoint(environment['SVC_FAULT_POINT']),
  });

/** A server of this process, which can look at its configuration again. */
export interface StartedServer extends RunningServer {
  /** Takes over `telemetry.logLevel` and the files of `server.tls.*`; what cannot be read is logged and stays as it was. */
  reload(): void;
}

/** Starts a server in this process. Throws ConfigError, or a Fault that says what to do next. */
export const startServer = async (options: StartOptions = {}): Promise<StartedServer> => {
  const environment = options.environment ?? process.env;
  const load = (): LoadedConfig =>
    loadConfig({ flags: options.flags ?? {}, environment, cwd: options.cwd ?? process.cwd() });
  const loaded = load();
  const { config, warnings } = loaded;
  const { logLevel: level, logFormat: format } = config.telemetry;
  const lines = stderrWriter({ batched: format === 'json' });
  process.once('exit', () => lines.flush());
  const written = new LineBroadcast();
  const log = createLog({ level, format, write: (line) => lines.write(line), keep: (line) => written.send(line) });
  for (const warning of warnings) {
    if (options.onWarning !== undefined) options.onWarning(warning);
    else log.warn('configuration', { key: warning.key, text: warning.text });
  }
  const clock = guardedClock(systemClock, (error) => log.error('work of a timer failed', {}, error));
  const server = await startApp(config, {
    clock,
    random: systemRandom,
    log: quietLog(log),
    lines: written,
    environment,
    loaded,
    fatal: (error) => {
      log.error('the disk refused a commit; what is stored is unknown, ending', {}, error);
      lines.flush();
      process.abort();
    },
    faultPoint: createFaultPoint(environment['SVC_FAULT_POINT']),
  });
  // Node writes its compile cache when a process exits; a server that is killed would leave nothing for the next start.
  flushCompileCache();
  // From here on code is optimised and the young generation grows with the load; neither was while loading (decision 0003).
  for (const flag of ['--maglev', '--turbofan']) setFlagsFromString(flag);
  governMemory(clock, processMemory());
  const reload = (): void => {
    try {
      const { logLevel } = load().config.telemetry;
      log.setLevel(logLevel);
      server.renewTls();
      log.info('configuration read again', { log_level: logLevel });
    } catch (error) {
      log.error('the configuration cannot be read again', { problem: error instanceof Error ? error.message : '' });
    }
  };
  return { ...server, reload };
};

export interface ServeOptions {
  /** SIGHUP stops too, as of a server that a person watches. */
  readonly endsWithTerminal?: boolean;
  /** Told at the first signal what the stop waits for; a second signal ends the process at once. */
  readonly onStopping?: (waitsFor: Stopping) => void;
}

/** What is running when a stop begins, and how long it may take at most. */
export interface Stopping extends Activity {
  readonly drainMs: number;
}

/**
 * Serves until SIGINT or SIGTERM; a second signal skips the wait. Resolves when everything is closed. SIGHUP reads the
 * configuration again, or with `endsWithTerminal`, as of a server that a person watches, is one of the signals that stop it.
 */
export const serveUntilSignal = async (
  server: StartedServer,
  { endsWithTerminal = false, onStopping }: ServeOptions = {},
): Promise<void> => {
  const asked = Promise.withResolvers<void>();
  let signals = 0;
  const onSignal = (): void => {
    signals += 1;
    if (signals > 1) process.exit(130);
    onStopping?.({ ...server.activity(), drainMs: server.config.runtime.drainMs });
    asked.resolve();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', endsWithTerminal ? onSignal : () => server.reload());
  await asked.promise;
  await server.close();
};
