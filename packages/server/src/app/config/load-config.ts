import { readFileSync } from 'node:fs';
import os from 'node:os';
import process from 'node:process';
import { buildConfig } from './build-config.ts';
import { findCombinationFaults } from './combination-rules.ts';
import type { Config } from './config.ts';
import type { HostFacts } from './host-facts.ts';
import { findIdleSettings } from './idle-rules.ts';
import { keyRows, type Settings } from './keys/index.ts';
import { type ConfigFault, faultLine, type Origin } from './located.ts';
import { matchFileKeys, matchFlags, matchVariables } from './match-keys.ts';
import { readSettings } from './settings-reader.ts';
import { type ConfigFile, expand, readConfigFile } from './sources/index.ts';

/** Where a configuration is searched; everything outside is passed in, so that a test controls all of it. */
export interface LoadOptions {
  /** Values by key of the table, such as `{'server.listen': '127.0.0.1:0'}`; `config` is the path of the file. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  /** Undefined when there is no such file; default reads the disk. */
  readonly readFile?: (path: string) => string | undefined;
  readonly host?: HostFacts;
  readonly version?: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Problems that do not stop a start, such as unknown keys. */
  readonly warnings: readonly ConfigFault[];
  /** Where each value that is not a default was written. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** Everything that is wrong with a configuration; the message has one line for each error. */
export class ConfigError extends Error {
  readonly faults: readonly ConfigFault[];
  /** Problems that alone would not have stopped the start. */
  readonly warnings: readonly ConfigFault[];
  constructor(faults: readonly ConfigFault[], warnings: readonly ConfigFault[]) {
    super(faults.map(faultLine).join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
    this.warnings = warnings;
  }
}

/** Reads, merges and checks the configuration before anything is opened; throws ConfigError with all errors. */
export const loadConfig = (options: LoadOptions): LoadedConfig => {
  const faults: ConfigFault[] = [];
  const report = (fault: ConfigFault): void => void faults.push(fault);
  const variables = new Set<string>();
  const variable = (name: string): string | undefined => {
    variables.add(name);
    return options.environment[name];
  };
  const { cwd, readFile = readText, host = machine() } = options;
  const { config: flag, ...flags } = given(options.flags);
  const file = readConfigFile({ flag, variable, cwd, readFile, report });
  const sources = [
    matchFlags(flags, { cwd, report }),
    matchVariables(options.environment, { cwd, report }),
    matchFile(file, variable, report),
  ];
  const { settings, origins, isSound } = readSettings(sources, { cwd, host, variable, readFile, report });
  const isWritten = (key: string): boolean => origins.has(key);
  const found = isSound ? [...findCombinationFaults(settings), ...findIdleSettings(settings, isWritten)] : [];
  for (const fault of found) report({ ...fault, label: origins.get(fault.key)?.label ?? 'configuration' });
  const errors = faults.filter((fault) => fault.severity === 'error');
  if (errors.length > 0)
    throw new ConfigError(
      errors,
      faults.filter((fault) => fault.severity === 'warning'),
    );
  const version = options.version ?? '0.1.0';
  const config = buildConfig(settings, { version, file: file?.path, variables: [...variables].sort() });
  return { config, origins, warnings: faults };
};

const given = (flags: LoadOptions['flags']): Record<string, string> =>
  Object.fromEntries(Object.entries(flags).filter((entry): entry is [string, string] => entry[1] !== undefined));

const matchFile = (
  file: ConfigFile | undefined,
  variable: (name: string) => string | undefined,
  report: (fault: ConfigFault) => void,
): ReturnType<typeof matchFileKeys> => {
  if (file === undefined) return new Map();
  const values = expand(file.values, { variable, report });
  return values.kind === 'map' ? matchFileKeys(values, report) : new Map();
};

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // Only a missing file counts as missing; one that exists and cannot be read must not be taken for "no configuration".
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
};

/** Container limits apply: `constrainedMemory` is 0 or huge without one. */
const machine = (): HostFacts => {
  const limit = process.constrainedMemory();
  const total = os.totalmem();
  const memoryBytes = limit > 0 && limit < total ? limit : total;
  return { memoryBytes, openFiles: openFiles(), isTerminal: process.stdout.isTTY === true };
};

/** The soft limit, which Node raises to the hard one when it starts. */
const openFiles = (): number | undefined => {
  const match = /^Max open files\s+(\d+)/m.exec(readText('/proc/self/limits') ?? '');
  return match === null ? undefined : Number(match[1]);
};

/** One row of `svc config show` and GetConfiguration. */
interface ConfigurationRow {
  readonly key: keyof Settings;
  /** JSON value in the form in which it is written; secrets masked; null when unset. */
  readonly value: unknown;
  readonly source: Origin['source'];
  /** Where it was written, such as `svc.yaml:3:5`; empty for defaults. */
  readonly label: string;
}

/** The effective values of every key with their source, secrets masked. */
export const configurationValues = (loaded: LoadedConfig): readonly ConfigurationRow[] =>
  [...keyRows].map(([name, row]) => {
    const key = name as keyof Settings;
    const value: unknown = loaded.config.settings[key];
    const origin = loaded.origins.get(name);
    const shown = value === undefined ? null : row.kind.show(value, name);
    return { key, value: shown, source: origin?.source ?? 'default', label: origin?.label ?? '' };
  });

/** What an operator sees of the configuration in force. */
export interface ConfigurationFacts {
  /** Secrets masked; `source` is where the value was written, such as `svc.yaml:3:5`. */
  readonly values: readonly { readonly key: string; readonly value: unknown; readonly source: string }[];
  readonly warnings: readonly string[];
  /** Absent = defaults. */
  readonly file?: string;
}

/** Of a process that was not told where its configuration came from the values without their places. */
export const configurationFacts = (config: Config, loaded: LoadedConfig | undefined): ConfigurationFacts => {
  const { origins, warnings } = loaded ?? { origins: new Map(), warnings: [] };
  const rows = configurationValues({ config, origins, warnings });
  return {
    values: rows.map(({ key, value, source, label }) => ({ key, value, source: label === '' ? source : label })),
    warnings: warnings.map(faultLine),
    ...(config.file === undefined ? {} : { file: config.file }),
  };
};
