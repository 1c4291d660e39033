import { resolve } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { CommandFailure } from '../failure.ts';
import type { ConnectorsModule, Host } from '../host.ts';

type Shipped = ConnectorsModule['shippedConnectors'][number];

/** What a settings file of a connector may say. */
export interface ConnectorFile {
  readonly listen?: string;
  readonly apiKey?: string;
  readonly class?: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** The variable that holds the key of the ConnectorClass when nothing else does. */
export const API_KEY_VARIABLE = 'SVC_CONNECTOR_API_KEY';

/** The connector with the name. Throws CommandFailure that lists the names. */
export function connectorNamed(module: ConnectorsModule, name: string): Shipped {
  const found = module.shippedConnectors.find((connector) => connector.name === name);
  if (found !== undefined) return found;
  const names = module.shippedConnectors.map((connector) => connector.name).join(', ');
  throw new CommandFailure(`there is no connector ${name}`, { hint: `one of ${names}` });
}

/** Reads a settings file; an empty one for no path. Throws CommandFailure that names the field. */
export function readConnectorFile(host: Host, path: string | undefined): ConnectorFile {
  if (path === undefined) return { settings: {} };
  const text = host.files.readText(resolve(host.cwd, path));
  if (text === undefined) throw new CommandFailure(`there is no file ${path}`);
  const { settings = {}, ...rest } = fieldsOf(parsed(text, path), path);
  for (const [name, value] of Object.entries(rest)) {
    if (!['listen', 'apiKey', 'class'].includes(name))
      throw new CommandFailure(`${path}: ${name} is not a field; there are listen, apiKey, class and settings`);
    textOf(value, `${path}: ${name}`);
  }
  const values = Object.entries(fieldsOf(settings, `${path}: settings`)).map(([name, value]) => [
    name,
    textOf(value, `${path}: settings.${name}`),
  ]);
  return { ...(rest as Omit<ConnectorFile, 'settings'>), settings: Object.fromEntries(values) };
}

/** `--set name=value` as a record. Throws CommandFailure. */
export const readAssignments = (flag: string, words: readonly string[] = []): Readonly<Record<string, string>> =>
  Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at <= 0) throw new CommandFailure(`${flag} ${word} is not name=value`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );

/** The settings of a connector: a flag wins over the file, which wins over the environment. Throws CommandFailure. */
export function settingsFor(
  module: ConnectorsModule,
  connector: Shipped,
  given: {
    readonly flags: Readonly<Record<string, string>>;
    readonly file: Readonly<Record<string, string>>;
    readonly environment: Host['environment'];
  },
) {
  const fromEnvironment = connector.settings.map(({ name, environment }) => [name, given.environment[environment]]);
  try {
    return new module.Settings(connector.settings, {
      ...Object.fromEntries(fromEnvironment),
      ...given.file,
      ...given.flags,
    });
  } catch (error) {
    throw explainSetting(module, error) ?? error;
  }
}

/** A wrong setting, or a package that is not installed, as a failure of the command; undefined for other errors. */
export function explainSetting(module: ConnectorsModule, error: unknown): CommandFailure | undefined {
  if (error instanceof module.SettingError) return new CommandFailure(error.message, { cause: error });
  if (error instanceof module.AdapterMissing)
    return new CommandFailure(`the package ${error.packageName} is not installed`, {
      hint: `npm install ${error.packageName}`,
      cause: error,
    });
  return undefined;
}

function parsed(text: string, path: string): unknown {
  try {
    return parse(text) ?? {};
  } catch (error) {
    if (error instanceof YAMLParseError) throw new CommandFailure(`${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

function fieldsOf(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new CommandFailure(`${name} is not a mapping`);
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new CommandFailure(`${name} is not a text`);
}
