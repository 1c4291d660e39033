import { expect, it } from 'vitest';
import { FakeFault } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

interface Asked {
  readonly tool: string;
  readonly argumentsJson: string;
  readonly confirm: boolean;
  readonly waitSeconds: number;
}

/** A server whose tool `send` has to be confirmed. */
const hostOf = (answer: object) => {
  const asked: Asked[] = [];
  const unary = {
    ListAgentTools: () => ({
      tools: [{ name: 'calculate', effect: 'read', approval: 'allow', description: 'Works out\nan expression.' }],
      missing: [{ name: 'desk', kind: 'mcp_server', reason: 'Disabled', message: 'the server is disabled' }],
    }),
    TryTool: (request: Asked) => {
      asked.push(request);
      if (request.tool === 'send' && !request.confirm)
        throw new FakeFault('FAILED_PRECONDITION', 'TOOL_NEEDS_CONFIRMATION');
      return answer;
    },
  };
  return { ...fakeHost({ handlers: { unary }, piped: '' }), asked };
};

it('svc agent tools shows the tools and what is missing', async () => {
  const { run, out } = hostOf({});
  expect(await run('agent', 'tools', 'helper')).toBe(0);
  expect(out()).toMatch(/calculate +read +allow +Works out an expression\./);
  expect(out()).toMatch(/MCP server desk +Disabled +the server is disabled/);
});

it('svc agent try prints what the model would read', async () => {
  const content = [{ text: '42\u0007' }, { mediaType: 'image/png', filename: 'a.png', sizeBytes: 3n }];
  const { run, out, err, asked } = hostOf({ ok: true, content, tookMs: 5n });
  expect(await run('agent', 'try', 'helper', 'calculate', '{"expression":"6*7"}', '--wait', '9')).toBe(0);
  expect(asked).toMatchObject([{ argumentsJson: '{"expression":"6*7"}', confirm: false, waitSeconds: 9 }]);
  expect(out()).toBe('42^G\n[file a.png (image/png, 3 B)]\n');
  expect(err()).toContain('calculate took 5 ms');
  expect(await run('agent', 'try', 'helper', 'calculate', '--wait', '601')).toBe(1);
});

it('svc agent try calls a tool that has to be confirmed only when it is', async () => {
  const { run, err, asked } = hostOf({ ok: true });
  expect(await run('agent', 'try', 'helper', 'send')).toBe(1);
  expect(err()).toContain('nothing was called: confirm with --yes');
  expect(await run('agent', 'try', 'helper', 'send', '{}', '--yes')).toBe(0);
  expect(asked.map(({ confirm }) => confirm)).toEqual([false, true]);
});

it('svc agent try fails where the tool did', async () => {
  const failed = hostOf({
    content: [{ text: '{"ok":false}' }],
    failureCode: 'sign_in_needed',
    error: 'sign in',
    signInUrl: 'https://auth.example/a',
  });
  expect(await failed.run('agent', 'try', 'helper', 'mcp_desk_find')).toBe(1);
  expect(failed.err()).toContain('mcp_desk_find: sign in (sign_in_needed)');
  expect(failed.err()).toContain('https://auth.example/a');
});
