import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { create, toBinary } from '@bufbuild/protobuf';
import { GetAgentResponseSchema } from '@svc/api/gateway';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../bin/svc.mjs', import.meta.url));

/** Runs `svc` against a server that treats every request alike; the server outlives the command. */
const run = async (words: readonly string[], serve: (response: ServerResponse) => void) => {
  const server = createServer((_request, response) => serve(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program, ...words], { env: { PATH, HOME: '/nowhere', SVC_SERVER: address } });
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
    response.setHeader('content-type', 'application/proto');
    response.end(toBinary(GetAgentResponseSchema, create(GetAgentResponseSchema, { agent })));
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
