import { resolve } from 'node:path';
import type { JsonObject } from '@bufbuild/protobuf';
import { isSvcError } from '@svc/client/error';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext, openPlain, type PlainContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapOf, mapsOf, textOf } from '../json-value.ts';
import { outputForm, printValue } from '../output.ts';
import type { SecretOptions } from './read-secrets.ts';

const KEY = /^[A-Za-z0-9._-]{1,253}$/;

/**
 * `svc secret set NAME [KEY]`: values from standard input, a hidden prompt or files, never from an argument, which others on
 * the machine could read. Other keys keep their values, which are not read.
 */
export const setSecret = async (host: Host, words: readonly string[], options: SecretOptions): Promise<void> => {
  const [name = '', key, ...others] = words;
  const { fromFile = [], remove = [] } = options;
  requireNoValue(words, others);
  if (key === undefined && fromFile.length === 0 && remove.length === 0 && options.type === undefined)
    throw new CommandFailure('which key?', { hint: `svc secret set ${name} KEY, or --from-file KEY=PATH` });
  const set = new Map(fromFile.map((pair) => fileValue(host, pair)));
  if (key !== undefined) set.set(requireKey(key), await typedValue(host, `${name}/${key}`));
  const empty = [...set].find(([, value]) => value.length === 0);
  if (empty !== undefined)
    throw new CommandFailure(`the value of ${empty[0]} is empty`, { hint: '--remove KEY removes a key' });
  const { type, ifVersion } = options;
  if (ifVersion !== undefined && !/^\d+$/.test(ifVersion))
    throw new CommandFailure(`--if-version ${ifVersion} is not a version`, {
      hint: `svc secret get ${name} -o jsonpath={.metadata.resourceVersion}`,
    });
  const context = await openContext(host, options);
  const done = await writeSecret(context, name, { set, remove, type, ifVersion });
  host.stdout.write(`secret/${name} ${done}\n`);
};

/** A value in an argument is refused without being repeated. */
const requireNoValue = (words: readonly string[], others: readonly string[]): void => {
  if (others.length === 0 && !words.some((word) => word.includes('='))) return;
  throw new CommandFailure('values are not taken from arguments, which others could read', {
    hint: 'pipe the value in, type it when asked, or name a file with --from-file KEY=PATH',
  });
};

const requireKey = (key: string): string => {
  if (KEY.test(key)) return key;
  throw new CommandFailure(`${key} is not a key: letters, digits, dots, dashes and underscores`);
};

const fileValue = (host: Host, pair: string): [string, Uint8Array] => {
  const at = pair.indexOf('=');
  if (at < 1) throw new CommandFailure(`${pair} is not KEY=PATH`, { hint: '--from-file tls.crt=server.crt' });
  const path = pair.slice(at + 1);
  const bytes = host.files.readBytes(resolve(host.cwd, path));
  if (bytes === undefined) throw new CommandFailure(`there is no file ${path}`);
  return [requireKey(pair.slice(0, at)), bytes];
};

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Piped input without the end of its last line, or what is typed. */
const typedValue = async (host: Host, label: string): Promise<Uint8Array> => {
  if (!host.stdin.isTerminal) {
    const bytes = await host.stdin.readAllBytes();
    if (bytes.length === 0)
      throw new CommandFailure('standard input is empty', {
        hint: 'pipe the value in, or name a file with --from-file KEY=PATH',
      });
    const end = bytes.at(-1) === LINE_FEED ? (bytes.at(-2) === CARRIAGE_RETURN ? 2 : 1) : 0;
    return bytes.subarray(0, bytes.length - end);
  }
  const typed = await host.askHidden(`value of ${label}: `);
  if (typed === undefined) throw new CommandFailure('nothing was written', { exitCode: exitCodes.interrupted });
  return new TextEncoder().encode(typed);
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

interface SecretChange {
  readonly set: ReadonlyMap<string, Uint8Array>;
  readonly remove: readonly string[];
  readonly type: string | undefined;
  readonly ifVersion: string | undefined;
}

/** Version that means a secret that does not exist. */
const ABSENT = '0';

const writeSecret = async (context: CommandContext, name: string, change: SecretChange): Promise<string> => {
  const address = { ns: context.target.namespace, kind: 'Secret', parent: '', name };
  // The code that changes resources is loaded only here, because it is large and listing secrets does not need it.
  const { tryNew, updateLive } = await import('../editing/index.ts');
  const update = (version: string | undefined): Promise<string> =>
    updateLive(context, address, {
      change: (manifest) => ({ ...manifest, spec: changedSpec(manifest['spec'] as JsonObject, change) }),
      version,
    });
  const { ifVersion, remove } = change;
  if (ifVersion !== ABSENT) {
    try {
      return await update(ifVersion);
    } catch (error) {
      const isNew = isSvcError(error) && error.reason === 'SECRET_NOT_FOUND' && remove.length === 0;
      if (!isNew || ifVersion !== undefined) throw error;
    }
  }
  // A refused value must not leave an empty secret behind.
  const metadata = { name, namespace: address.ns };
  await tryNew(context, address, {
    apiVersion: 'svc/v1',
    kind: 'Secret',
    metadata,
    spec: changedSpec({}, change),
  });
  const { resource, outcome } = await createEmpty(context, name);
  if (ifVersion === ABSENT && outcome !== 'APPLY_OUTCOME_CREATED')
    throw new CommandFailure(`secret ${name} is there already`, {
      hint: 'leave --if-version out, or give its version',
    });
  await update(ifVersion === ABSENT ? textOf(mapOf(mapOf(resource)['metadata'])['resourceVersion']) : undefined);
  return 'created';
};

/**
 * Creates a secret without keys, which the change then fills: an apply without values removes none from a secret that someone else
 * creates at the same time, while a plain write would replace its keys.
 */
const createEmpty = async ({ call, target }: PlainContext, name: string): Promise<JsonObject> => {
  const manifest = { apiVersion: 'svc/v1', kind: 'Secret', metadata: { name, namespace: target.namespace } };
  const request = { text: JSON.stringify(manifest), ns: target.namespace, atomic: true };
  const { results } = await call('ResourceService/ApplyManifests', request);
  const [result] = mapsOf(results);
  if (result !== undefined) return result;
  throw new CommandFailure('the server answered nothing');
};

/** The other keys have empty values, which the server reads as unchanged. */
const changedSpec = (spec: JsonObject, { set, remove, type }: SecretChange): JsonObject => {
  const data = { ...((spec['data'] ?? {}) as JsonObject) };
  for (const key of remove) delete data[key];
  for (const [key, value] of set) data[key] = base64(value);
  return { ...spec, ...(type === undefined ? {} : { type }), data };
};

/** `svc secret rotate-key`: a new key encrypts from now on, and stored values are re-encrypted in the background. */
export const rotateKey = async (host: Host, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, note } = await openPlain(host, options);
  const { keyId = '' } = await call('AdminService/RotateSecretKey', {});
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, { keyId }, form);
  host.stdout.write(`key ${textOf(keyId)} encrypts from now on\n`);
  note('stored values are encrypted again in the background; the former keys still read them');
};
