import { describe, expect, it } from 'vitest';
import { faultsOf, load } from './testing/index.ts';

const token = 'b1c2d3e4f5a69788';
const yaml = (text: string): readonly string[] => faultsOf({ files: { '/work/svc.yaml': text } });

describe('refused combinations', () => {
  it.each(['0.0.0.0:7420', ':7420', '192.168.1.4:1', '[::]:1', 'example.org:80', '127.999.1.1:1'])(
    'auth none on %s is refused (PL-45)',
    (listen) => {
      const [fault] = yaml(`server:\n  listen: "${listen}"`);
      expect(fault).toMatch(/^svc\.yaml:2:11: server\.listen: other machines reach .*\(AUTH_REQUIRED\)$/);
    },
  );

  it.each(['127.0.0.1:0', '127.9.9.9:1', '[::1]:1', 'localhost:1', 'app.localhost:1'])(
    'auth none on %s is allowed',
    (listen) => {
      expect(yaml(`server: {listen: "${listen}"}`)).toEqual([]);
    },
  );

  it('another address is fine once a mode with a credential is chosen', () => {
    expect(yaml(`server: {listen: "0.0.0.0:1"}\nauth: {mode: [token], token: ${token}}`)).toEqual([]);
  });

  it.each([
    [
      `console: {oidc: {clientId: c}}\nauth: {mode: [token], token: ${token}}`,
      'console.oidc.clientId: sign-in at a provider needs auth.mode jwks, and auth.jwks.issuer with the address of the provider',
    ],
    [
      'console: {oidc: {clientId: c}}\nauth: {mode: [jwks], jwks: {url: "https://a.test"}}',
      'console.oidc.clientId: sign-in at a provider needs auth.mode jwks, and auth.jwks.issuer with the address of the provider',
    ],
    [
      'console: {oidc: {clientId: c}}\nauth: {mode: [jwks], jwks: {url: "https://a.test", issuer: me}}',
      'console.oidc.clientId: sign-in at a provider needs auth.mode jwks, and auth.jwks.issuer with the address of the provider',
    ],
    [
      `auth: {mode: [none, token], token: ${token}}`,
      'auth.mode: none lets everyone in, so no other mode can be combined with it (AUTH_REQUIRED)',
    ],
    [
      `auth: {mode: [jwt], jwt: {secret: ${token}, defaultGrants: [{role: viewer}, {role: viewer, agent: a}]}}`,
      'auth.jwt.defaultGrants: grant 2 names an agent or a channel without its namespace: add namespace',
    ],
    [
      'auth: {mode: [jwks], jwks: {url: "https://a.test", rules: [{claim: a, value: b, role: viewer, namespace: n, session: s}]}}',
      'auth.jwks.rules: grant 1 names a session without its agent: add agent',
    ],
    [
      `auth: {mode: [jwt], jwt: {secret: ${token}, defaultGrants: [{role: viewer, namespace: "*"}]}}`,
      'auth.jwt.defaultGrants: grant 1 covers nothing: leave out namespace to cover every one',
    ],
    ['auth: {mode: []}', 'auth.mode: must name at least one mode'],
    ['auth: {mode: [token]}', 'auth.mode: token needs auth.token'],
    ['auth: {mode: [password]}', 'auth.mode: password needs auth.password'],
    ['auth: {mode: [jwt]}', 'auth.mode: jwt needs auth.jwt.secret'],
    ['auth: {mode: [jwks]}', 'auth.mode: jwks needs auth.jwks.url'],
    [
      `auth: {token: ${token}}`,
      'auth.token: has no effect while auth.mode is [none]: add token to auth.mode or remove it',
    ],
    [
      `auth: {jwt: {secret: ${token}}}`,
      'auth.jwt.secret: has no effect while auth.mode is [none]: add jwt to auth.mode or remove it',
    ],
    [
      'cors: {origins: ["*"]}',
      'cors.origins: * with auth.mode none would let every web page act as you: list the origins',
    ],
    [
      'store: {url: "sqlite:other.db"}',
      'store.url: SQLite keeps its database in dataDir, as /work/svc-data/svc.db: set dataDir to where it shall be, or remove this',
    ],
    ['server: {roles: []}', 'server.roles: must name at least one role'],
    [
      'server: {roles: [gateway]}',
      'server.roles: roles split over processes need store.url of PostgreSQL and bus.url of NATS',
    ],
    ['bus: {url: "nats://a"}', 'bus.url: a bus between nodes needs store.url of PostgreSQL; one node needs no bus.url'],
    ['server: {tls: {cert: a}}', 'server.tls.cert: server.tls.cert and server.tls.key belong together'],
    ['server: {tls: {key: a}}', 'server.tls.key: server.tls.cert and server.tls.key belong together'],
    [
      `secrets: {keys: [{id: a, key: ${token}}, {id: b, key: ${token}x}, {id: a, key: ${token}y}]}`,
      'secrets.keys: two keys have the id a: give each its own',
    ],
    [
      'models: {default: openai/x}',
      'models.default: names provider openai, which models.providers does not have (known: demo)',
    ],
  ])('%s is refused', (text, expected) => {
    expect(yaml(text).map((line) => line.replace(/^svc\.yaml:\d+:\d+: /, ''))).toEqual([expected]);
  });

  it('the file of SQLite may be named where it is', () => {
    expect(yaml('dataDir: data\nstore: {url: "sqlite:./data/svc.db"}')).toEqual([]);
  });

  it('split roles are fine with PostgreSQL and NATS', () => {
    const text = `server: {roles: [gateway]}\nstore: {url: "postgres://db/svc"}\nbus: {url: "nats://bus"}`;
    expect(load({ files: { '/work/svc.yaml': text } }).config.roles).toEqual(['gateway']);
  });

  it('is not judged while a single value is wrong, so that one mistake is one line', () => {
    expect(yaml('auth: {mode: [token], token: short}')).toHaveLength(1);
  });

  it('names the variable that broke the rule', () => {
    expect(faultsOf({ environment: { SVC_SERVER_LISTEN: '0.0.0.0:1' } })[0]).toMatch(
      /^SVC_SERVER_LISTEN: server\.listen: /,
    );
  });
});
