import { expect, it } from 'vitest';
import { fakeHost, NOW_MS } from '../testing/fake-host.ts';

const grant = (identity: string, signedInAt: number, server = 'desk') => ({
  ns: 'acme',
  server,
  serverNs: 'acme',
  identity,
  issuer: 'https://auth.example',
  scope: 'mail',
  signedInAt: BigInt(signedInAt),
});
const EXPIRES = BigInt((NOW_MS + 60_000) * 1_000);

/** A server at which somebody signs in before it is asked for the `at`-th time. */
const host = (at: number) => {
  let lists = 0;
  const revoked: unknown[] = [];
  const unary = {
    StartMcpSignIn: (request: { server: string }) => ({
      url: `https://auth.example/authorize?for=${request.server}`,
      expiresAt: EXPIRES,
      server: 'desk',
    }),
    ListMcpGrants: () => {
      lists += 1;
      const old = [grant('ann', 1), grant('', 1, 'shared')];
      return { grants: lists >= at ? [grant('ann', 2), ...old.slice(1)] : old };
    },
    RevokeMcpGrant: (request: { server: string; identity: string; shared: boolean }) => {
      revoked.push([request.server, request.identity, request.shared]);
      return { success: true };
    },
  };
  return { ...fakeHost({ handlers: { unary } }), revoked };
};

it('svc mcp login prints the address and waits for a new sign-in', async () => {
  const { run, out, err } = host(4);
  expect(await run('mcp', 'login', 'binding', '-n', 'acme')).toBe(0);
  expect(out()).toBe('https://auth.example/authorize?for=binding\n');
  expect(err()).toContain('signed in to desk at https://auth.example');
});

it('svc mcp login --no-wait leaves at once', async () => {
  const { run, out, err } = host(9);
  expect(await run('mcp', 'login', 'desk', '--no-wait')).toBe(0);
  expect([out(), err()]).toEqual(['https://auth.example/authorize?for=desk\n', '']);
});

it('svc mcp logout ends the own sign-in, that of somebody, or the shared one', async () => {
  const { run, revoked, err } = host(9);
  expect(await run('mcp', 'logout', 'desk')).toBe(0);
  expect(await run('mcp', 'logout', 'desk', '--identity', 'bob')).toBe(0);
  expect(await run('mcp', 'logout', 'desk', '--shared')).toBe(0);
  expect(await run('mcp', 'logout', 'desk', '--shared', '--identity', 'bob')).not.toBe(0);
  expect(err()).toContain('contradict each other');
  expect(revoked).toEqual([
    ['desk', '', false],
    ['desk', 'bob', false],
    ['desk', '', true],
  ]);
});

it('svc mcp grants shows who is signed in', async () => {
  const { run, out } = host(9);
  expect(await run('mcp', 'grants')).toBe(0);
  expect(out()).toMatch(/desk +ann +https:\/\/auth.example +mail/);
  expect(out()).toMatch(/shared +\(everyone\)/);
  const empty = fakeHost({ handlers: { unary: { ListMcpGrants: () => ({ grants: [] }) } } });
  expect(await empty.run('mcp', 'grants')).toBe(0);
  expect(empty.err()).toContain('no one is signed in');
});
