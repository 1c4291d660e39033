import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type PlainContext, type ScopeOptions } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapOf, mapsOf, textOf } from '../json-value.ts';
import { ageOf, listItems, manifestForm } from '../kinds/index.ts';
import { outputForm, printList, printValue, resourceList } from '../output.ts';
import { counted, renderTable } from '../terminal/index.ts';

export interface SecretOptions extends GlobalOptions, ScopeOptions {
  /** `KEY=PATH`, each a file whose bytes become the value. */
  readonly fromFile?: readonly string[];
  readonly remove?: readonly string[];
  readonly type?: string;
  /** Version that the secret must still have; `0` when it must not exist yet. */
  readonly ifVersion?: string;
  readonly reveal?: boolean;
}

/** Secrets in the form of manifests; lists have their keys without values. */
const listSome = async (
  { call, target }: PlainContext,
  { limit, labelSelector }: { readonly limit: number; readonly labelSelector: string },
): Promise<readonly JsonObject[]> => {
  const request = { ns: target.namespace, kind: 'Secret', labelSelector, member: 'resources' };
  return (await listItems({ call, limit }, 'ResourceService/ListResources', request)).map(manifestForm);
};

const dataOf = (secret: JsonObject): JsonObject => mapOf(mapOf(secret['spec'])['data']);

/** `svc secret list`: names and keys; values are never in a list. */
export const listSecrets = async (host: Host, options: SecretOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openPlain(host, options);
  const labelSelector = context.scope.selector;
  const secrets = await listUpTo(context, context.limit, (limit) => listSome(context, { limit, labelSelector }));
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, resourceList(secrets), form);
  if (secrets.length === 0) return context.note(`no secrets in namespace ${context.target.namespace}`);
  const isWide = form.form === 'wide';
  const rows = secrets.map((secret) => {
    const { name, resourceVersion } = mapOf(secret['metadata']);
    const keys = Object.keys(dataOf(secret)).sort().join(', ');
    return [
      textOf(name),
      textOf(mapOf(secret['spec'])['type']) || '-',
      keys || '-',
      ageOf(secret['metadata'], host.nowMs()),
      ...(isWide ? [textOf(resourceVersion) || '-'] : []),
    ];
  });
  const columns = host.stdout.isTerminal ? host.stdout.columns : undefined;
  host.stdout.write(renderTable(['NAME', 'TYPE', 'KEYS', 'AGE', ...(isWide ? ['VERSION'] : [])], rows, columns));
};

/** `svc secret get NAME [KEY]`: its keys; with --reveal the values, of one key as the bytes they are. Reading them is audited. */
export const getSecret = async (host: Host, words: readonly string[], options: SecretOptions): Promise<void> => {
  const [name = '', key] = words;
  const form = outputForm(options.output);
  const context = await openPlain(host, options);
  const isRevealed = options.reveal === true;
  const { secret, isLost } = isRevealed ? await revealed(context, name) : await masked(context, name);
  const data = dataOf(secret);
  if (key !== undefined && data[key] === undefined)
    throw new CommandFailure(`secret ${name} has no key ${key}`, {
      exitCode: exitCodes.notFound,
      hint: `it has ${Object.keys(data).sort().join(', ') || 'none'}`,
    });
  if (key !== undefined && isLost(key)) throw undecryptable(`${key} of secret ${name}`);
  if (key !== undefined && isRevealed) return printBytes(host, Buffer.from(textOf(data[key]), 'base64'));
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, secret, form);
  const shown = Object.keys(data).filter((candidate) => key === undefined || candidate === key);
  const shownValue = (each: string): string => (isLost(each) ? `(${KEY_MISSING})` : readable(textOf(data[each])));
  const rows = shown.sort().map((each) => [each, isRevealed ? shownValue(each) : '(hidden)']);
  host.stdout.write(renderTable(['KEY', 'VALUE'], rows, undefined));
  if (!isRevealed) context.note('--reveal shows the values');
};

const KEY_MISSING = 'cannot be decrypted: its key is missing';

const undecryptable = (what: string): CommandFailure =>
  new CommandFailure(`${what} ${KEY_MISSING}`, {
    hint: '`svc doctor` names the key; put its keys/master.json back into the data directory, or set the value again',
  });

interface ReadSecret {
  readonly secret: JsonObject;
  /** True for a key whose value the server cannot decrypt. */
  readonly isLost: (key: string) => boolean;
}

const isDecryptable = (status: JsonObject): boolean =>
  !mapsOf(status['conditions']).some(({ type, status: state }) => type === 'Decryptable' && state === 'False');

const read = async ({ call, target }: PlainContext, name: string): Promise<ReadSecret> => {
  const request = { ns: target.namespace, kind: 'Secret', parent: '', name };
  const { resource } = await call('ResourceService/GetResource', request);
  const secret = manifestForm(mapOf(resource));
  const isWhole = isDecryptable(mapOf(secret['status']));
  return { secret, isLost: (key) => !isWhole && dataOf(secret)[key] === '' };
};

const masked = async (context: PlainContext, name: string): Promise<ReadSecret> => {
  const all = await listSome(context, { limit: Number.POSITIVE_INFINITY, labelSelector: '' });
  const found = all.find(({ metadata }) => mapOf(metadata)['name'] === name);
  // Fails in the same way as a read.
  return found === undefined ? read(context, name) : { secret: found, isLost: () => false };
};

const revealed = async (context: PlainContext, name: string): Promise<ReadSecret> => {
  const found = await read(context, name);
  const data = dataOf(found.secret);
  const keys = Object.keys(data);
  if (keys.length === 0 || keys.some((key) => data[key] !== '')) return found;
  if (keys.every(found.isLost)) throw undecryptable(`secret ${name}`);
  throw new CommandFailure(`you may not read the values of secret ${name}`, {
    exitCode: exitCodes.connection,
    hint: '`svc whoami` shows where you may read secrets',
  });
};

const LINE_FEED = 10;

const printBytes = async (host: Host, bytes: Uint8Array): Promise<void> => {
  await host.stdout.writeBytes(bytes);
  if (host.stdout.isTerminal && bytes.at(-1) !== LINE_FEED) host.stdout.write('\n');
};

/** Text unchanged, other bytes as their number. */
const readable = (value: string): string => {
  const bytes = Buffer.from(value, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) && !text.includes('\0')
    ? text
    : `(${counted(bytes.length, 'byte')}, no text)`;
};
