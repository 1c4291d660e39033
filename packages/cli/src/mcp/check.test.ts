import { expect, it } from 'vitest';
import { fakeHost } from '../testing/fake-host.ts';

const hostOf = (answer: object) => {
  const asked: unknown[] = [];
  const unary = {
    CheckMcpServer: (request: object) => {
      asked.push(request);
      return answer;
    },
  };
  return { ...fakeHost({ handlers: { unary } }), asked };
};

it('svc mcp check shows what the server is and its tools as agents have them', async () => {
  const { run, out, err, asked } = hostOf({
    ...{
      reachable: true,
      reason: 'Connected',
      protocol: '2026-07-28',
      serverName: 'desk\u001b[31m',
      serverVersion: '1',
    },
    tookMs: 12n,
    toolCount: 3,
    missingTools: ['gone'],
    tools: [
      { name: 'find', description: 'Finds\nmails.', allowed: true, agentName: 'mcp_desk_find', readOnly: true },
      { name: 'wipe', destructive: true },
    ],
  });
  expect(await run('mcp', 'check', 'desk', '-n', 'acme', '--identity', 'ann')).toBe(0);
  expect(asked).toMatchObject([{ ns: 'acme', server: 'desk', identity: 'ann' }]);
  const [first, , find, wipe] = out().split('\n');
  expect(first).toBe('desk answers: desk^[[31m 1, protocol 2026-07-28, 12 ms');
  expect(find).toMatch(/^find +mcp_desk_find +reads only +Finds mails\.$/);
  expect(wipe).toMatch(/^wipe +\(not allowed\) +destructive$/);
  expect(err()).toContain('1 further tool not shown');
  expect(err()).toContain('the allowlist names tools that the server does not have: gone');
});

it('svc mcp check fails with the reason, and says how to sign in', async () => {
  const { run, out, err } = hostOf({ reason: 'SignInNeeded', message: 'the server needs a person to sign in' });
  expect(await run('mcp', 'check', 'desk')).toBe(1);
  expect(out()).toBe('');
  expect(err()).toContain('MCP server desk cannot be used: the server needs a person to sign in (SignInNeeded)');
  expect(err()).toContain('svc mcp login desk');
});
