import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapOf, mapsOf, msOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';
import { outputForm, printList, printValue } from '../output.ts';
import { localTime, renderTable } from '../terminal/index.ts';
import { grantText } from './grant-text.ts';

export interface ApiKeyOptions extends GlobalOptions {
  /** Such as `viewer@acme` or `operator@acme/helper`. */
  readonly grant?: readonly string[];
  readonly readSecrets?: boolean;
  /** Such as `30d`, or a date. */
  readonly expires?: string;
  /** Lists revoked keys too. */
  readonly revoked?: boolean;
  /** Creates the key even if a namespace that it grants does not exist. */
  readonly force?: boolean;
}

const ROLES = ['viewer', 'operator', 'admin'];
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `role[@namespace[/agent[/session]]]`; without a namespace it covers everything. */
const parseGrant = (text: string, readSecrets: boolean): JsonObject => {
  const at = text.indexOf('@');
  const role = at < 0 ? text : text.slice(0, at);
  const [namespace, agent, session, ...rest] = at < 0 ? [] : text.slice(at + 1).split('/');
  const parts = [namespace, agent, session].filter((part) => part !== undefined);
  if (!ROLES.includes(role) || rest.length > 0 || parts.includes(''))
    throw new CommandFailure(`${text} is not a valid grant`, {
      hint: 'write it as viewer@acme or operator@acme/helper',
    });
  return {
    role,
    readSecrets,
    ...(namespace === undefined ? {} : { namespace }),
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
  };
};

/** Microseconds of a moment given as text: a duration from now, or a date. */
const parseExpiry = (host: Host, text: string): string => {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const ms = count === undefined ? Date.parse(text) : host.nowMs() + Number(count) * UNITS[unit as keyof typeof UNITS];
  if (Number.isNaN(ms))
    throw new CommandFailure(`--expires ${text} is not a valid time`, { hint: 'write it as 30d, 12h or 2030-01-31' });
  return String(BigInt(Math.round(ms)) * 1_000n);
};

const grantsText = (key: JsonObject): string => mapsOf(key['grants']).map(grantText).join(', ');

/** `svc apikey create NAME`: prints the key on standard output; it is shown only once. */
export const createApiKey = async (host: Host, name: string, options: ApiKeyOptions): Promise<void> => {
  const grants = (options.grant ?? []).map((text) => parseGrant(text, options.readSecrets === true));
  if (grants.length === 0)
    throw new CommandFailure('a key needs at least one grant', { hint: '--grant viewer@acme, or --grant admin' });
  const expiresAt = options.expires === undefined ? undefined : parseExpiry(host, options.expires);
  const form = outputForm(options.output);
  const { call, note } = await openPlain(host, options);
  const force = options.force === true;
  const request = { name, grants, force, ...(expiresAt === undefined ? {} : { expiresAt }) };
  const answer = await call('AuthService/CreateApiKey', request);
  const key = mapOf(answer['key']);
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, answer, form);
  note(`key ${textOf(key['id'])} for ${grantsText(key)}; it is not shown again:`);
  host.stdout.write(`${textOf(answer['secret'])}\n`);
};

/** `svc apikey list`: keys whose grants are all within those of the caller, newest first. */
export const listApiKeys = async (host: Host, options: ApiKeyOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, note } = await openPlain(host, options);
  const request = { includeRevoked: options.revoked === true, member: 'keys' };
  const keys = await listItems({ call, limit: Number.POSITIVE_INFINITY }, 'AuthService/ListApiKeys', request);
  if (form.form === 'name') return host.stdout.write(keys.map(({ id }) => `apikey/${textOf(id)}\n`).join(''));
  if (form.form === 'jsonl') return printList(host, { items: keys }, form);
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, keys, form);
  if (keys.length === 0) return note('no keys within your own grants; `svc apikey create` creates one');
  const rows = keys.map((key) => [
    textOf(key['id']),
    textOf(key['name']),
    grantsText(key),
    timeText(key['createdAt']),
    timeText(key['lastUsedAt']),
    stateText(host, key),
  ]);
  const width = host.stdout.isTerminal ? host.stdout.columns : undefined;
  host.stdout.write(renderTable(['ID', 'NAME', 'GRANTS', 'CREATED', 'LAST USED', 'STATE'], rows, width));
};

const timeText = (micros: JsonValue | undefined): string => (msOf(micros) === 0 ? '-' : localTime(msOf(micros)));

const stateText = (host: Host, { revokedAt, expiresAt }: JsonObject): string => {
  if (revokedAt !== undefined) return `revoked ${timeText(revokedAt)}`;
  if (expiresAt === undefined) return 'valid';
  return `${msOf(expiresAt) <= host.nowMs() ? 'expired' : 'until'} ${timeText(expiresAt)}`;
};

/** `svc apikey revoke ID`: requests with it are refused at once, and its open streams end within 30 s. */
export const revokeApiKey = async (host: Host, id: string, options: GlobalOptions): Promise<void> => {
  const { call } = await openPlain(host, options);
  await call('AuthService/RevokeApiKey', { id: keyId(id) });
  host.stdout.write(`apikey/${keyId(id)} revoked\n`);
};

/** The whole key, or its beginning as lists show it, is accepted as well. */
const keyId = (text: string): string => /^svc_([0-9a-f]+)/.exec(text)?.[1] ?? text;
