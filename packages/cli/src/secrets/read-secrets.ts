import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type PlainContext, type ScopeOptions } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { mapOf, textOf } from '../json-value.ts';
import { ageOf, listItems, manifestForm } from '../kinds/index.ts';
import { outputForm, printList, printValue, resourceList } from '../output.ts';
import { counted, renderTable } from '../terminal/index.ts';
import type { World } from '../world.ts';

export interface SecretOptions extends GlobalOptions, ScopeOptions {
  /** `KEY=PATH`, each a file whose bytes become the value. */
  readonly fromFile?: readonly string[];
  readonly remove?: readonly string[];
  readonly type?: string;
  /** Version that the secret must still have; `0` when it must not be there yet. */
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
export const listSecrets = async (world: World, options: SecretOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openPlain(world, options);
  const labelSelector = context.scope.selector;
  const secrets = await listUpTo(context, context.limit, (limit) => listSome(context, { limit, labelSelector }));
  if (form.form !== 'table' && form.form !== 'wide') return printList(world, resourceList(secrets), form);
  if (secrets.length === 0) return context.note(`no secrets in namespace ${context.target.namespace}`);
  const isWide = form.form === 'wide';
  const rows = secrets.map((secret) => {
    const { name, resourceVersion } = mapOf(secret['metadata']);
    const keys = Object.keys(dataOf(secret)).sort().join(', ');
    return [
      ...[textOf(name), textOf(mapOf(secret['spec'])['type']) || '-', keys || '-'],
      ...[ageOf(secret['metadata'], world.nowMs()), ...(isWide ? [textOf(resourceVersion) || '-'] : [])],
    ];
  });
  const columns = world.stdout.isTerminal ? world.stdout.columns : undefined;
  world.stdout.write(renderTable(['NAME', 'TYPE', 'KEYS', 'AGE', ...(isWide ? ['VERSION'] : [])], rows, columns));
};

/** `svc secret get NAME [KEY]`: its keys; with --reveal the values, of one key as the bytes they are. Reading them is audited. */
export const getSecret = async (world: World, words: readonly string[], options: SecretOptions): Promise<void> => {
  const [name = '', key] = words;
  const form = outputForm(options.output);
  const context = await openPlain(world, options);
  const isRevealed = options.reveal === true;
  const secret = isRevealed ? await revealed(context, name) : await masked(context, name);
  const data = dataOf(secret);
  if (key !== undefined && data[key] === undefined)
    throw new CommandFailure(`secret ${name} has no key ${key}`, {
      exitCode: exitCodes.notFound,
      hint: `it has ${Object.keys(data).sort().join(', ') || 'none'}`,
    });
  if (key !== undefined && isRevealed) return printBytes(world, Buffer.from(textOf(data[key]), 'base64'));
  if (form.form !== 'table' && form.form !== 'wide') return printValue(world, secret, form);
  const shown = Object.keys(data).filter((candidate) => key === undefined || candidate === key);
  const rows = shown.sort().map((each) => [each, isRevealed ? readable(textOf(data[each])) : '(hidden)']);
  world.stdout.write(renderTable(['KEY', 'VALUE'], rows, undefined));
  if (!isRevealed) context.note('--reveal shows the values');
};

const read = async ({ call, target }: PlainContext, name: string): Promise<JsonObject> => {
  const request = { ns: target.namespace, kind: 'Secret', parent: '', name };
  const { resource } = await call('ResourceService/GetResource', request);
  return manifestForm(mapOf(resource));
};

const masked = async (context: PlainContext, name: string): Promise<JsonObject> => {
  const all = await listSome(context, { limit: Number.POSITIVE_INFINITY, labelSelector: '' });
  // Only to fail as a read fails.
  return all.find(({ metadata }) => mapOf(metadata)['name'] === name) ?? read(context, name);
};

const revealed = async (context: PlainContext, name: string): Promise<JsonObject> => {
  const secret = await read(context, name);
  const values = Object.values(dataOf(secret));
  if (values.length > 0 && values.every((value) => value === ''))
    throw new CommandFailure(`you may not read the values of secret ${name}`, {
      exitCode: exitCodes.connection,
      hint: '`svc whoami` shows where you may read secrets',
    });
  return secret;
};

const LINE_FEED = 10;

const printBytes = async (world: World, bytes: Uint8Array): Promise<void> => {
  await world.stdout.writeBytes(bytes);
  if (world.stdout.isTerminal && bytes.at(-1) !== LINE_FEED) world.stdout.write('\n');
};

/** Text as it is, other bytes by their number. */
const readable = (value: string): string => {
  const bytes = Buffer.from(value, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) && !text.includes('\0')
    ? text
    : `(${counted(bytes.length, 'byte')}, no text)`;
};
