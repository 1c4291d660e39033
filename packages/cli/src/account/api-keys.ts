import { toJson } from '@bufbuild/protobuf';
import { type ApiKey, ApiKeySchema, type Grant } from '@svc/api/data';
import { CreateApiKeyResponseSchema } from '@svc/api/gateway';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import { outputForm, printValue } from '../output.ts';
import { harmless, localTime, renderTable } from '../terminal/index.ts';
import type { World } from '../world.ts';

export interface ApiKeyOptions extends GlobalOptions {
  /** Such as `viewer@acme` or `operator@acme/helper`. */
  readonly grant?: readonly string[];
  readonly readSecrets?: boolean;
  /** Such as `30d`, or a date. */
  readonly expires?: string;
  /** Lists revoked keys too. */
  readonly revoked?: boolean;
}

const ROLES = ['viewer', 'operator', 'admin'];
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

type GrantInit = Partial<Omit<Grant, '$typeName'>> & { readonly role: string };

/** `role[@namespace[/agent[/session]]]`; without a namespace it covers everything. */
const parseGrant = (text: string, readSecrets: boolean): GrantInit => {
  const at = text.indexOf('@');
  const role = at < 0 ? text : text.slice(0, at);
  const [namespace, agent, session, ...rest] = at < 0 ? [] : text.slice(at + 1).split('/');
  const parts = [namespace, agent, session].filter((part) => part !== undefined);
  if (!ROLES.includes(role) || rest.length > 0 || parts.includes(''))
    throw new CommandFailure(`${text} is no grant`, { hint: 'write it as viewer@acme or operator@acme/helper' });
  return {
    ...{ role, readSecrets },
    ...(namespace === undefined ? {} : { namespace }),
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
  };
};

/** Microseconds of a moment: a time from now, or a date. */
const parseExpiry = (world: World, text: string): bigint => {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const ms = count === undefined ? Date.parse(text) : world.nowMs() + Number(count) * UNITS[unit as keyof typeof UNITS];
  if (Number.isNaN(ms))
    throw new CommandFailure(`--expires ${text} is no time`, { hint: 'write it as 30d, 12h or 2030-01-31' });
  return BigInt(Math.round(ms)) * 1_000n;
};

const grantText = (grant: Grant): string => {
  const scope = [grant.namespace, grant.agent, grant.session, grant.channel].filter((word) => word !== undefined);
  const where = scope.length === 0 ? '' : `@${scope.join('/')}`;
  return `${grant.role}${where}${grant.readSecrets ? '+secrets' : ''}`;
};

/** `svc apikey create NAME`: the key goes to standard output and is shown this once only. */
export const createApiKey = async (world: World, name: string, options: ApiKeyOptions): Promise<void> => {
  const grants = (options.grant ?? []).map((text) => parseGrant(text, options.readSecrets === true));
  if (grants.length === 0)
    throw new CommandFailure('a key needs at least one grant', { hint: '--grant viewer@acme, or --grant admin' });
  const expiresAt = options.expires === undefined ? undefined : parseExpiry(world, options.expires);
  const { client, note } = await openContext(world, options);
  const answer = await client.auth.createApiKey({ name, grants, ...(expiresAt === undefined ? {} : { expiresAt }) });
  const form = outputForm(options.output);
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(world, toJson(CreateApiKeyResponseSchema, answer), form);
  note(`key ${answer.key?.id ?? ''} for ${answer.key?.grants.map(grantText).join(', ') ?? ''}; it is not shown again:`);
  world.stdout.write(`${answer.secret}\n`);
};

/** `svc apikey list`: keys whose grants all lie within one's own, newest first. */
export const listApiKeys = async (world: World, options: ApiKeyOptions): Promise<void> => {
  const { client } = await openContext(world, options);
  const keys: ApiKey[] = [];
  let pageToken = '';
  do {
    const page = await client.auth.listApiKeys({ pageToken, includeRevoked: options.revoked === true });
    keys.push(...page.keys);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  const form = outputForm(options.output);
  if (form.form === 'name') return world.stdout.write(keys.map(({ id }) => `apikey/${id}\n`).join(''));
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(
      world,
      keys.map((key) => toJson(ApiKeySchema, key)),
      form,
    );
  const rows = keys.map((key) => [
    ...[key.id, harmless(key.name), key.grants.map(grantText).join(', '), timeText(key.createdAt)],
    ...[timeText(key.lastUsedAt), stateText(world, key)],
  ]);
  const width = world.stdout.isTerminal ? world.stdout.columns : undefined;
  world.stdout.write(renderTable(['ID', 'NAME', 'GRANTS', 'CREATED', 'LAST USED', 'STATE'], rows, width));
};

const timeText = (micros: bigint): string => (micros === 0n ? '-' : localTime(Number(micros) / 1_000));

const stateText = (world: World, key: ApiKey): string => {
  if (key.revokedAt !== undefined) return `revoked ${timeText(key.revokedAt)}`;
  if (key.expiresAt === undefined) return 'valid';
  const isOver = Number(key.expiresAt) / 1_000 <= world.nowMs();
  return `${isOver ? 'expired' : 'until'} ${timeText(key.expiresAt)}`;
};

/** `svc apikey revoke ID`: what uses it is refused at once, open streams within 30 s. */
export const revokeApiKey = async (world: World, id: string, options: GlobalOptions): Promise<void> => {
  const { client } = await openContext(world, options);
  await client.auth.revokeApiKey({ id: keyId(id) });
  world.stdout.write(`apikey/${keyId(id)} revoked\n`);
};

/** A whole key, or its beginning as lists show it, names the key as well. */
const keyId = (text: string): string => /^svc_([0-9a-f]+)/.exec(text)?.[1] ?? text;
