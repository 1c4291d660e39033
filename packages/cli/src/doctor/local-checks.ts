import { join } from 'node:path';
import type { Host, ServerModule } from '../host.ts';
import { type Check, fail, ok, warn } from './check.ts';

type Loaded = ReturnType<ServerModule['loadConfig']>;

const LEAST_NODE = 26;
/** With less, a busy server fills the disk within hours. */
const LOW_DISK_BYTES = 1024 ** 3;
const FULL_DISK_BYTES = 100 * 1024 ** 2;
/** A commit may need this much. */
const NO_ROOM_BYTES = 1024 ** 2;

/** Whether this Node.js is new enough. */
export const checkNode = (host: Host): Check => {
  const major = Number(host.nodeVersion.replace(/^v/, '').split('.')[0]);
  const name = 'node';
  return major >= LEAST_NODE
    ? ok(name, host.nodeVersion)
    : fail(name, `${host.nodeVersion} is too old`, `install Node.js ${LEAST_NODE} or newer`);
};

/** The configuration of this machine, loaded once for the checks that follow. */
export const checkConfiguration = (
  host: Host,
  server: ServerModule,
  flags: Readonly<Record<string, string | undefined>>,
): { readonly checks: readonly Check[]; readonly loaded: Loaded | undefined } => {
  const name = 'configuration';
  try {
    const loaded = server.loadConfig({ flags, environment: host.environment, cwd: host.cwd });
    const source = loaded.config.file ?? 'defaults';
    if (loaded.warnings.length === 0) return { loaded, checks: [ok(name, source)] };
    const texts = loaded.warnings.map(({ label, key, text }) =>
      [label, key, text].filter((piece) => piece !== '').join(': '),
    );
    return { loaded, checks: texts.map((text) => warn(name, text, 'correct it, then svc config check')) };
  } catch (error) {
    if (!(error instanceof server.ConfigError)) throw error;
    return {
      loaded: undefined,
      checks: error.message.split('\n').map((line) => fail(name, line, 'correct it, then svc config check')),
    };
  }
};

/** Whether the data directory can be used, who else may read it, its key file, and free disk space. */
export const checkDataDirectory = (
  host: Host,
  dataDir: string,
  { usesKeyFile }: { readonly usesKeyFile: boolean },
): readonly Check[] => {
  const name = 'data directory';
  const facts = host.files.facts(dataDir);
  if (facts === undefined) return [warn(name, `${dataDir} does not exist yet`, 'svc up makes it')];
  if (!facts.isDirectory) return [fail(name, `${dataDir} is a file, not a directory`, 'choose another dataDir')];
  if (!host.files.isWritable(dataDir))
    return [fail(name, `${dataDir} cannot be written`, `give your user the right to write ${dataDir}`)];
  const isOpen = host.platform !== 'win32' && (facts.mode & 0o007) !== 0;
  const access = isOpen ? warn(name, `${dataDir} is open to every user`, `chmod 700 ${dataDir}`) : ok(name, dataDir);
  return [access, ...(usesKeyFile ? checkKeyFile(host, dataDir) : []), ...checkDisk(host, dataDir)];
};

const checkKeyFile = (host: Host, dataDir: string): readonly Check[] => {
  const name = 'key file';
  const path = join(dataDir, 'keys', 'master.json');
  const facts = host.files.facts(path);
  if (facts === undefined && host.files.facts(join(dataDir, 'svc.db')) !== undefined)
    return [
      fail(
        name,
        `${path} is missing: the secrets in ${dataDir} cannot be decrypted`,
        'put it back from where you keep your copy, or from a backup with keys; svc up says what to do without it',
      ),
    ];
  if (facts === undefined)
    return [
      warn(name, `${path} does not exist yet`, 'svc up makes it; keep a copy: without it stored secrets are lost'),
    ];
  if (host.platform !== 'win32' && (facts.mode & 0o077) !== 0)
    return [fail(name, `${path} may be read by others`, `chmod 600 ${path}`)];
  return [ok(name, path)];
};

const checkDisk = (host: Host, dataDir: string): readonly Check[] => {
  const name = 'disk';
  const free = host.files.freeBytes(dataDir);
  if (free === undefined) return [];
  const text = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  if (free < NO_ROOM_BYTES) return [fail(name, 'full', 'make room: writes are refused')];
  if (free < FULL_DISK_BYTES) return [fail(name, text, 'make room: writes will be refused soon')];
  return [free < LOW_DISK_BYTES ? warn(name, text, 'make room, or move dataDir') : ok(name, text)];
};

/** Which models agents can use. */
export const checkProviders = (loaded: Loaded): Check => {
  const names = Object.keys(loaded.config.models.providers).filter((name) => name !== 'demo');
  const keyless = names.filter((name) => {
    const provider = loaded.config.models.providers[name];
    return provider?.apiKey === undefined && provider?.type !== 'openai-compatible' && provider?.type !== 'demo';
  });
  if (keyless.length > 0)
    return warn('providers', `no key for ${keyless.join(', ')}`, 'set models.providers.<name>.apiKey');
  if (names.length === 0)
    return ok('providers', 'demo only; set OPENAI_API_KEY or configure models.providers for a real model');
  return ok('providers', [...names, 'demo'].join(', '));
};
