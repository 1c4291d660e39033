import { parseNetwork } from '../../../base/network/index.ts';
import { utcCron } from '../../../features/coordination/schedules/index.ts';
import {
  boolean,
  choice,
  duration,
  integer,
  json,
  keySecret,
  list,
  mapOf,
  path,
  record,
  secret,
  storeUrl,
  strongSecret,
  text,
  url,
} from '../kinds/index.ts';
import { parseListen } from '../listen-address.ts';
import { key, optional } from './key-row.ts';

const listen = text('address', (value) =>
  parseListen(value) === undefined ? 'host:port, such as 127.0.0.1:7420' : undefined,
);
const cron = text('cron expression', (value) =>
  utcCron(value) === undefined ? 'a cron expression, such as 0 3 * * *' : undefined,
);
const allowedTarget = text('host, address or network', (value) =>
  /[/:]/.test(value) && parseNetwork(value) === undefined
    ? 'a host name, an address or a network such as 10.1.0.0/16'
    : undefined,
);
const origin = text('origin', (value) => {
  if (value === '*') return undefined;
  const parsed = URL.parse(value);
  return parsed?.origin === value.toLowerCase() ? undefined : 'an origin such as https://app.example.org, or *';
});
const grantFields = {
  role: choice('viewer', 'operator', 'admin'),
  namespace: text(),
  agent: text(),
  session: text(),
  channel: text(),
  readSecrets: boolean,
};
const grant = record(grantFields, ['role']);
const jwksRule = record({ claim: text(), value: text(), ...grantFields }, ['claim', 'value', 'role']);
const encryptionKey = record({ id: text(), key: keySecret }, ['id', 'key']);

/** Addresses, roles, browsers, console. */
export const serverKeys = {
  dataDir: key(
    path,
    './svc-data',
    'Directory of everything the server keeps: database, objects, keys. `svc up` uses the user data directory.',
  ),
  'server.listen': key(
    listen,
    '127.0.0.1:7420',
    'Address and port of every protocol. Port 0 picks a free one; an empty host means every address.',
  ),
  'server.publicUrl': optional(
    url('http', 'https'),
    'Address under which clients reach the server; used in links and agent cards.',
    'from `server.listen`',
  ),
  'server.clusterId': key(text(), 'svc', 'Name of this installation towards connector services.'),
  'server.roles': key(
    list(choice('gateway', 'controller', 'worker')),
    ['gateway', 'controller', 'worker'],
    'What this process does. Splitting roles over processes needs PostgreSQL and NATS, and has no effect yet.',
  ),
  'server.drainSeconds': key(
    duration({ max: 3_600_000 }),
    30_000,
    'How long a shutdown waits for running calls and turns.',
  ),
  'server.reflection': key(boolean, true, 'Serve gRPC reflection.'),
  'server.trustProxy': key(boolean, false, 'Believe the forwarding headers of a proxy in front.'),
  'server.tls.cert': optional(path, 'Certificate chain in PEM form; read again on SIGHUP.', 'none: cleartext'),
  'server.tls.key': optional(
    path,
    'Private key of the certificate in PEM form; read again on SIGHUP.',
    'none: cleartext',
  ),
  'cors.origins': optional(list(origin), 'Origins whose browser pages may call the API.', 'loopback hosts on any port'),
  'console.enabled': key(
    boolean,
    true,
    'Serve the web console at `/` and below ([console.md](console.md)). Off: these addresses are unknown.',
  ),
  'console.title': key(text(), 'svc', 'Name that the console shows, in its window title too.'),
  'console.readOnly': key(
    boolean,
    false,
    'Hide every action of the console that writes. What callers may do through the API, their grants alone decide.',
  ),
  'console.oidc.clientId': optional(
    text(),
    'Client of the console at the OpenID provider `auth.jwks.issuer`, a public one (with PKCE, without a secret): the console then offers to sign in there ([access.md](access.md)).',
  ),
  'console.oidc.scope': key(
    text(),
    'openid',
    'Scopes that the console asks the provider for. With `offline_access` many providers hand out a refresh token, so that a sign-in is renewed without a word.',
  ),
  'console.oidc.origins': key(
    list(url('https', 'http')),
    [],
    'Origins of the provider other than that of `auth.jwks.issuer`, where its token endpoint has another one.',
  ),
} as const;

/** Who may call. */
export const authKeys = {
  'auth.mode': key(
    list(choice('none', 'token', 'password', 'jwt', 'jwks')),
    ['none'],
    'Ways to sign in, tried in order. `none` lets everyone in and is allowed on loopback addresses only.',
  ),
  'auth.token': optional(strongSecret, 'The bearer token of mode `token`; gives every right.'),
  'auth.password': optional(strongSecret, 'The password of mode `password`, for any user name; gives every right.'),
  'auth.failureLimit': key(
    integer({ max: 1_000_000 }),
    20,
    'Failed sign-ins of one address in a minute; beyond it answers to failed ones are delayed, then refused for a minute. Valid credentials are never refused. 0: no limit.',
  ),
  'auth.jwt.secret': optional(strongSecret, 'HS256 secret of mode `jwt`.'),
  'auth.jwt.audience': key(text(), 'svc', 'Audience that tokens of mode `jwt` must name.'),
  'auth.jwt.defaultGrants': key(
    list(grant),
    [],
    'What a token of mode `jwt` may do that carries no `svc:` claims; a grant without `namespace` covers everything. Empty: such a token is refused ([access.md](access.md)).',
  ),
  'auth.jwks.url': optional(url('https', 'http'), 'Key set of mode `jwks`.'),
  'auth.jwks.issuer': optional(text(), 'Issuer that tokens of mode `jwks` must name.'),
  'auth.jwks.audience': key(text(), 'svc', 'Audience that tokens of mode `jwks` must name.'),
  'auth.jwks.algorithms': key(
    list(choice('RS256', 'ES256')),
    ['RS256', 'ES256'],
    'Signature algorithms accepted in mode `jwks`.',
  ),
  'auth.jwks.rules': key(list(jwksRule), [], 'Grants by claim for tokens that carry none of their own.'),
} as const;

/** Where data lives: rows in a store, object bytes in a folder or a bucket. */
export const storageKeys = {
  'store.url': optional(
    storeUrl,
    'Database: `postgres://...`, or the embedded one, which is always `<dataDir>/svc.db`.',
    '`sqlite:<dataDir>/svc.db`',
  ),
  'store.poolSize': key(integer({ min: 1, max: 1_000 }), 10, 'Connections to PostgreSQL.'),
  'store.sync': key(
    choice('full', 'off'),
    'full',
    '`full` acknowledges once data is on disk; `off` is for tests only.',
  ),
  'store.busyTimeout': key(duration({ max: 600_000 }), 5_000, 'How long a statement waits for a lock.'),
  'store.migrate': key(choice('auto', 'manual'), 'auto', '`manual` leaves migrations to `svc migrate`.'),
  'bus.url': optional(url('nats', 'tls'), 'NATS for live events between nodes.', 'in process'),
  'objects.backend': key(
    choice('local', 's3'),
    'local',
    'Where object bytes go: below `dataDir`, or to an S3-compatible service ([objects.md](objects.md)).',
  ),
  'objects.bucket': optional(text(), 'Bucket of the S3 backend.'),
  'objects.endpoint': optional(url('http', 'https'), 'Address of the S3 backend.', 'that of the region'),
  'objects.region': key(text(), 'us-east-1', 'Region of the S3 backend.'),
  'objects.prefix': optional(text(), 'Text before every object key in the bucket.', 'none'),
  'objects.accessKey': optional(secret, 'Access key id of the S3 backend.', 'credentials of the machine'),
  'objects.secretKey': optional(secret, 'Secret access key of the S3 backend.', 'credentials of the machine'),
  'secrets.keys': key(
    list(encryptionKey),
    [],
    'Encryption keys of stored secrets, newest last. Empty: the key file below `dataDir`.',
  ),
  'secrets.acceptLostKeys': key(
    boolean,
    false,
    'Start although the key that encrypted stored secrets is missing: they stay unreadable, new ones get a new key. For one start.',
  ),
  'backup.dir': optional(path, 'Where backups are written.', '`<dataDir>/backups`'),
  'backup.schedule': optional(cron, 'When scheduled backups are made, in UTC.', 'off'),
  'backup.keep': key(integer({ min: 1, max: 10_000 }), 7, 'Scheduled backups that are kept.'),
  'worker.endpoints': optional(
    list(record({ url: url('http', 'https', 'grpc'), protocol: choice('http', 'grpc'), audience: text() }, ['url'])),
    'Addresses that this process publishes in its Worker record.',
    'from `server.publicUrl`',
  ),
} as const;

/** Log, metrics and traces. */
export const telemetryKeys = {
  'telemetry.logLevel': key(
    choice('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'Least level that is logged; read again on SIGHUP.',
  ),
  'telemetry.logFormat': optional(choice('json', 'text'), 'Form of log lines.', '`text` on a terminal, else `json`'),
  'telemetry.otlpEndpoint': optional(url('http', 'https'), 'Where traces go (OTLP over HTTP).', 'none'),
  'telemetry.captureContent': key(boolean, false, 'Put prompts and answers into traces.'),
  'metrics.open': key(boolean, false, 'Serve `/metrics` without a credential.'),
  'metrics.namespaceLabel': key(boolean, false, 'Count ended turns by namespace; for installations with few of them.'),
} as const;

/** Settings whose form other products or providers define. */
export const integrationKeys = {
  'net.allow': key(list(allowedTarget), [], 'Internal hosts, addresses and networks that outbound requests may reach.'),
  'mcp.stdioNamespaces': key(
    list(text('namespace')),
    [],
    'Namespaces whose admins may declare MCP servers that run as processes.',
  ),
  'acp.harnesses': key(
    mapOf(record({ command: text(), args: list(text()), env: mapOf(secret) }, ['command'])),
    {},
    'Coding agents to offer in addition to the shipped ones.',
  ),
  'knowledge.embeddings': optional(
    record({ provider: text(), model: text() }, ['provider', 'model']),
    'Model that makes vectors of documents, memory and indexed files, so that searches also find what is near in meaning. All nodes have the same ([search.md](search.md)).',
    'none: text search only',
  ),
  'research.search': optional(
    record({ type: choice('brave', 'tavily', 'searxng'), url: url('http', 'https'), apiKey: secret }, ['type']),
    'Search engine of the tool `web_search`. `searxng` needs `url`, the others `apiKey`.',
    'none: agents have no `web_search`',
  ),
  'sandbox.providers': optional(mapOf(json), 'Sandbox backends and their settings.', 'those detected on this machine'),
  'sandbox.idleStop': key(duration(), 900_000, 'Idle time after which a sandbox is stopped.'),
  'sandbox.destroyAfter': key(duration(), 86_400_000, 'Idle time after which a sandbox is destroyed.'),
  capabilities: key(
    mapOf(mapOf(boolean)),
    {},
    'Capability and action to `false`: denied everywhere, whatever an agent says.',
  ),
  'connectors.envAllow': optional(
    list(text('name pattern')),
    'Environment variables that connector keys may name; never those that the configuration itself names.',
    '`*` with auth none, else `CONNECTOR_*, SVC_CONNECTOR_*`',
  ),
  'connectors.errorReplyText': optional(text(), 'Text delivered when a turn fails.', 'none: nothing is delivered'),
  'connectors.silenceTokens': key(
    list(text()),
    ['[SILENT]', 'SILENT', 'NO_REPLY', 'NO REPLY'],
    'Replies that mean: deliver nothing.',
  ),
  'connectors.secretRotationSeconds': key(
    duration({ min: 60_000 }),
    604_800_000,
    'Age at which a callback secret is replaced.',
  ),
  'connectors.secretOverlapSeconds': key(duration(), 3_600_000, 'How long the former callback secret stays valid.'),
} as const;
