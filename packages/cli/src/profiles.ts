import { join } from 'node:path';
import { CommandFailure } from './failure.ts';
import type { Host } from './host.ts';
import { isMap } from './json-value.ts';

/** One saved server. */
export interface Profile {
  readonly server?: string;
  readonly namespace?: string;
  readonly token?: string;
  readonly apiKey?: string;
  readonly password?: string;
}

interface Profiles {
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const fields = ['server', 'namespace', 'token', 'apiKey', 'password'] as const;
const SECRET_MODE = 0o600;

/** The user's directory of this program: XDG, or its equivalent on the platform. */
export const userDirectory = (host: Host, kind: 'config' | 'data' | 'state'): string => {
  const { environment, platform } = host;
  const xdg = environment[`XDG_${kind.toUpperCase()}_HOME`];
  if (xdg !== undefined && xdg !== '') return join(xdg, 'svc');
  const home = environment['HOME'] ?? environment['USERPROFILE'] ?? host.cwd;
  if (platform === 'win32') return join(environment['APPDATA'] ?? home, 'svc');
  if (platform === 'darwin' && kind !== 'config') return join(home, 'Library', 'Application Support', 'svc');
  return join(home, { config: '.config', data: '.local/share', state: '.local/state' }[kind], 'svc');
};

/** Where profiles are kept. */
export const profilesPath = (host: Host): string => join(userDirectory(host, 'config'), 'profiles.json');

/** The saved profiles, or `default` alone; refuses a file that others may read, because it contains credentials. */
export const readProfiles = (host: Host): Profiles => {
  const path = profilesPath(host);
  const text = host.files.readText(path);
  if (text === undefined) return { current: 'default', profiles: {} };
  const mode = host.files.facts(path)?.mode ?? SECRET_MODE;
  if (host.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new CommandFailure(`${path} may be read by others`, { hint: `chmod 600 ${path}` });
  }
  return parseProfiles(text, path);
};

const parseProfiles = (text: string, path: string): Profiles => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandFailure(`${path} is not JSON: ${error.message}`, { hint: 'repair or remove it', cause: error });
  }
  const stored = isMap(value) && isMap(value['profiles']) ? value['profiles'] : {};
  const profiles = Object.entries(stored).map(([name, profile]): [string, Profile] => [name, readProfile(profile)]);
  const current = isMap(value) && typeof value['current'] === 'string' ? value['current'] : 'default';
  return { current, profiles: Object.fromEntries(profiles) };
};

const readProfile = (value: unknown): Profile => {
  if (!isMap(value)) return {};
  const known = fields.flatMap((field): [string, string][] => {
    const text = value[field];
    return typeof text === 'string' ? [[field, text]] : [];
  });
  return Object.fromEntries(known);
};

/** Replaces the file, mode 0600. */
export const writeProfiles = (host: Host, profiles: Profiles): void =>
  host.files.writeText(profilesPath(host), `${JSON.stringify(profiles, undefined, 2)}\n`, SECRET_MODE);
