import { join } from 'node:path';
import { isLoopbackHost } from '../../base/network/index.ts';
import type { SettingKey, Settings } from './keys/index.ts';
import { listenAddress } from './listen-address.ts';
import { findObjectFaults } from './object-rules.ts';

/** Settings that are valid alone and wrong together; the loader adds where each key was written. */
export interface CombinationFault {
  readonly severity: 'error' | 'warning';
  readonly key: SettingKey;
  readonly text: string;
}

type Rule = (settings: Settings) => CombinationFault | undefined;

const refuseIf = (isRefused: boolean, key: SettingKey, text: string): CombinationFault | undefined =>
  isRefused ? { severity: 'error', key, text } : undefined;

const hasMode = (settings: Settings, mode: Settings['auth.mode'][number]): boolean =>
  settings['auth.mode'].includes(mode);

const usesPostgres = (settings: Settings): boolean => /^postgres/.test(settings['store.url']);

const host = (settings: Settings): string => listenAddress(settings['server.listen']).host;

const rules: readonly Rule[] = [
  (settings) => refuseIf(settings['auth.mode'].length === 0, 'auth.mode', 'must name at least one mode'),
  (settings) =>
    refuseIf(
      hasMode(settings, 'none') && settings['auth.mode'].length > 1,
      'auth.mode',
      'none lets everyone in, so no other mode can be combined with it (AUTH_REQUIRED)',
    ),
  (settings) =>
    refuseIf(
      hasMode(settings, 'none') && !isLoopbackHost(host(settings)),
      'server.listen',
      `other machines reach ${host(settings)}, so auth.mode must not be none: set auth.mode and its credential, or listen on 127.0.0.1 (AUTH_REQUIRED)`,
    ),
  (settings) => elsewhere(settings),
  (settings) => needsCredential(settings, 'token', 'auth.token'),
  (settings) => needsCredential(settings, 'password', 'auth.password'),
  (settings) => needsCredential(settings, 'jwt', 'auth.jwt.secret'),
  (settings) => needsCredential(settings, 'jwks', 'auth.jwks.url'),
  (settings) => unusedCredential(settings, 'token', 'auth.token'),
  (settings) => unusedCredential(settings, 'password', 'auth.password'),
  (settings) => unusedCredential(settings, 'jwt', 'auth.jwt.secret'),
  (settings) => unusedCredential(settings, 'jwks', 'auth.jwks.url'),
  (settings) =>
    refuseIf(
      hasMode(settings, 'none') && (settings['cors.origins'] ?? []).includes('*'),
      'cors.origins',
      '* with auth.mode none would let every web page act as you: list the origins',
    ),
  (settings) => refuseIf(settings['server.roles'].length === 0, 'server.roles', 'must name at least one role'),
  (settings) =>
    refuseIf(
      new Set(settings['server.roles']).size < 3 &&
        settings['server.roles'].length > 0 &&
        (!usesPostgres(settings) || settings['bus.url'] === undefined),
      'server.roles',
      'roles split over processes need store.url of PostgreSQL and bus.url of NATS',
    ),
  (settings) =>
    refuseIf(
      settings['bus.url'] !== undefined && !usesPostgres(settings),
      'bus.url',
      'a bus between nodes needs store.url of PostgreSQL; one node needs no bus.url',
    ),
  (settings) =>
    refuseIf(
      (settings['server.tls.cert'] === undefined) !== (settings['server.tls.key'] === undefined),
      settings['server.tls.cert'] === undefined ? 'server.tls.key' : 'server.tls.cert',
      'server.tls.cert and server.tls.key belong together',
    ),
  (settings) =>
    refuseIf(
      settings['console.oidc.clientId'] !== undefined &&
        !(hasMode(settings, 'jwks') && URL.canParse(settings['auth.jwks.issuer'] ?? '')),
      'console.oidc.clientId',
      'sign-in at a provider needs auth.mode jwks, and auth.jwks.issuer with the address of the provider',
    ),
  (settings) => incompleteGrant(settings, 'auth.jwt.defaultGrants'),
  (settings) => incompleteGrant(settings, 'auth.jwks.rules'),
  (settings) => repeatedKeyId(settings),
  (settings) => unknownProvider(settings),
];

/** Lock, copies, backups and restores of SQLite expect the one file in the data directory: another one would be ignored. */
const elsewhere = (settings: Settings): CombinationFault | undefined => {
  const file = join(settings.dataDir, 'svc.db');
  return refuseIf(
    !usesPostgres(settings) && settings['store.url'] !== `sqlite:${file}`,
    'store.url',
    `SQLite keeps its database in dataDir, as ${file}: set dataDir to where it shall be, or remove this`,
  );
};

const needsCredential = (
  settings: Settings,
  mode: Settings['auth.mode'][number],
  key: SettingKey,
): CombinationFault | undefined =>
  refuseIf(hasMode(settings, mode) && settings[key] === undefined, 'auth.mode', `${mode} needs ${key}`);

/** A credential that protects nothing would look like protection, so it is refused. */
const unusedCredential = (
  settings: Settings,
  mode: Settings['auth.mode'][number],
  key: SettingKey,
): CombinationFault | undefined =>
  refuseIf(
    !hasMode(settings, mode) && settings[key] !== undefined,
    key,
    `has no effect while auth.mode is [${settings['auth.mode'].join(', ')}]: add ${mode} to auth.mode or remove it`,
  );

/** A scope without the one around it would cover nothing, so every sign-in would be refused for no visible reason. */
const incompleteGrant = (
  settings: Settings,
  key: 'auth.jwt.defaultGrants' | 'auth.jwks.rules',
): CombinationFault | undefined => {
  for (const [index, { namespace, agent, session, channel }] of settings[key].entries()) {
    const [empty] = Object.entries({ namespace, agent, session, channel }).find(([, name]) => name === '*') ?? [];
    if (empty !== undefined)
      return refuseIf(true, key, `grant ${index + 1} covers nothing: leave out ${empty} to cover every one`);
    if (namespace === undefined && (agent ?? channel) !== undefined)
      return refuseIf(true, key, `grant ${index + 1} names an agent or a channel without its namespace: add namespace`);
    if (agent === undefined && session !== undefined)
      return refuseIf(true, key, `grant ${index + 1} names a session without its agent: add agent`);
  }
  return undefined;
};

/** Stored values name their key by id: of two keys with one id only the last would decrypt anything. */
const repeatedKeyId = (settings: Settings): CombinationFault | undefined => {
  const ids = settings['secrets.keys'].map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index) ?? '';
  return refuseIf(twice !== '', 'secrets.keys', `two keys have the id ${twice}: give each its own`);
};

const unknownProvider = (settings: Settings): CombinationFault | undefined => {
  const provider = (settings['models.default'] ?? 'demo/echo').replace(/\/.*$/, '');
  const known = Object.keys(settings['models.providers']);
  return refuseIf(
    !known.includes(provider),
    'models.default',
    `names provider ${provider}, which models.providers does not have (known: ${known.join(', ')})`,
  );
};

/** Every violated rule, in a fixed order. */
export const findCombinationFaults = (settings: Settings): readonly CombinationFault[] => [
  ...rules.map((rule) => rule(settings)).filter((fault) => fault !== undefined),
  ...findObjectFaults(settings).map(([key, text]) => ({ severity: 'error' as const, key, text })),
];
