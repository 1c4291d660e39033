import { describe, expect, it } from 'vitest';
import { environmentName, keyRows, pendingKeys } from './keys/index.ts';
import { faultLine } from './located.ts';
import { load, sampleOf } from './testing/index.ts';

const warnings = (yaml: string): readonly string[] =>
  load({ files: { '/work/svc.yaml': yaml } }).warnings.map((warning) =>
    faultLine(warning).replace(/^svc\.yaml:\d+:\d+: /, ''),
  );

const POSTGRES = 'store: {url: "postgres://db/svc"}';

describe('a setting that has no effect', () => {
  it.each(Object.values(pendingKeys).flat())('%s is told when it is written, and starts', (key) => {
    const { environment } = sampleOf(key, keyRows.get(key)!);
    const { warnings: found } = load({
      files: { '/work/svc.yaml': POSTGRES },
      environment: { [environmentName(key)]: environment },
    });
    expect(found.map(faultLine)).toEqual([
      expect.stringMatching(`^${environmentName(key)}: ${key.replaceAll('.', '\\.')}: has no effect yet`),
    ]);
  });

  it('says what holds instead for roles and for the bus', () => {
    const found = warnings(`server: {roles: [worker]}\nbus: {url: "nats://bus"}\n${POSTGRES}`);
    expect(found).toEqual([
      expect.stringMatching(/^bus\.url: has no effect yet: no events travel between nodes/),
      expect.stringMatching(/^server\.roles: has no effect yet: this process serves calls/),
    ]);
    expect(warnings('server: {roles: [gateway, controller, worker]}')).toEqual([]);
  });

  it('is of PostgreSQL beside SQLite', () => {
    expect(warnings('store: {poolSize: 3, busyTimeout: 1s}')).toEqual([
      'store.poolSize: has no effect: only PostgreSQL has a use for it',
      'store.busyTimeout: has no effect: only PostgreSQL has a use for it',
    ]);
    expect(warnings('store: {url: "postgres://db/svc", poolSize: 3}')).toEqual([]);
  });

  it('belongs to a way to sign in that is off', () => {
    expect(warnings('auth: {jwt: {audience: a}, jwks: {issuer: b}}')).toEqual([
      'auth.jwt.audience: has no effect while auth.mode lacks jwt',
      'auth.jwks.issuer: has no effect while auth.mode lacks jwks',
    ]);
    expect(warnings('auth: {mode: [jwt], jwt: {secret: b1c2d3e4f5a69788, audience: a}}')).toEqual([]);
  });
});
