import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../bin/svc.mjs', import.meta.url));

/** Runs `svc` against a server that treats every request alike; the server outlives the command. */
const run = async (
  words: readonly string[],
  serve: (response: ServerResponse) => void,
  nodeFlags: readonly string[] = [],
) => {
  const server = createServer((_request, response) => serve(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [...nodeFlags, program, ...words], {
    env: { PATH, HOME: '/nowhere', SVC_SERVER: address },
  });
  child.stdin.end();
  try {
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { out, err, code: code as number | null };
  } finally {
    child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
  }
};

it('waits between two looks when nothing else keeps the process alive', async () => {
  const phases = ['Pending', 'Ready'];
  const answer = (response: ServerResponse): void => {
    const agent = { metadata: { name: 'demo' }, status: { phase: phases.shift() ?? 'Ready' } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ agent }));
  };
  const ended = await run(['wait', 'agent', 'demo', '--for', 'phase=Ready'], answer);
  expect(ended).toEqual({ out: '', err: 'agent/demo phase=Ready\n', code: 0 });
});

it('leaves when the command is over, though a server still owes an answer', async () => {
  const ended = await run(['__complete', '--', 'chat', ''], () => undefined);
  expect(ended).toEqual({ out: '', err: '', code: 0 });
});

it('writes all of its output into a pipe before it leaves', async () => {
  const ended = await run(['completion', 'bash'], () => undefined);
  expect([ended.out.split('\n').at(-2), ended.code]).toEqual(['complete -o default -F _svc_complete svc', 0]);
});

describe('a command loads only what it needs', () => {
  /** Tells on standard error of every module that is loaded. */
  const watching = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => { console.error('loads ' + url); return next(url, context); } });`;
  const list = (response: ServerResponse): void => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ agents: [], namespaces: [], resources: [], subject: 'me' }));
  };
  const loaded = async (...words: string[]) => {
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(watching)}`];
    const { err, code } = await run(words, list, flags);
    return { code, urls: err.split('\n').filter((line) => line.startsWith('loads ')) };
  };

  it.each([
    ['--help'],
    ['version'],
    ['get', 'agents'],
    ['get', 'agents', '-A', '-o', 'json'],
    ['get', 'secrets'],
    ['describe', 'channels'],
    ['delete', 'skill', 'a'],
    ['session', 'list'],
    ['worker', 'list'],
    ['whoami'],
    ['usage'],
    ['completion', 'zsh'],
    ['__complete', '--', 'get', 'agents', ''],
  ])('and no message: svc %s %s %s %s', async (...words) => {
    const { code, urls } = await loaded(...words.filter((word) => word !== undefined));
    expect(code).toBe(0);
    expect(urls.length).toBeGreaterThan(10);
    expect(urls.filter((url) => /protobuf|packages\/(?:api\/(?!src\/kinds\.ts)|server)\//.test(url))).toEqual([]);
  });
});
