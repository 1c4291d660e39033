import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RestCaller, type SessionKey, textOf } from '../calls/index.ts';
import { MockModel } from '../mock-model/index.ts';
import { ProtectedTools } from '../protected-tools/index.ts';
import { ServerProcess, until } from '../server-process/index.ts';

let model: MockModel;
let tools: ProtectedTools;
let server: ServerProcess;
let rest: RestCaller;

beforeEach(async () => {
  model = await MockModel.start();
  tools = await ProtectedTools.start();
  server = await ServerProcess.start({ environment: model.environment });
  rest = new RestCaller(server.url);
  const annotations = { 'option.svc/mcp-auth': 'oauth' };
  await rest.ok('POST /v1/manifests:apply', {
    ns: 'default',
    text: JSON.stringify({
      kind: 'McpServer',
      metadata: { name: 'desk', namespace: 'default', annotations },
      spec: { transport: 'http', target: `${tools.url}/mcp` },
    }),
  });
  await rest.createAgent('helper', { mcpServerRefs: ['desk'] });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await tools[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const inState = (session: SessionKey, state: string): Promise<true> =>
  until(`the session is ${state}`, async () => (await rest.state(session)) === state || undefined);

/** A session whose turn waits for a sign-in, and the address of the callback with the code in it. */
const waiting = async (): Promise<{ readonly session: SessionKey; readonly callback: string }> => {
  const session = await rest.createSession('helper');
  await rest.send(session, 'call mcp_desk__sign_in {}\ncall mcp_desk_greet {}\nwords 2');
  await inState(session, 'WAITING');
  const list = await rest.ok<{ requests: { url: string }[] }>('GET /v1/ns/default/permission-requests?kind=sign_in');
  const { headers } = await fetch(list.requests[0]?.url ?? 'none:', { redirect: 'manual' });
  return { session, callback: headers.get('location') ?? '' };
};

/** The turn ran once, with the tool that the sign-in was for. */
const expectEnded = async (session: SessionKey): Promise<void> => {
  await inState(session, 'IDLE');
  const messages = await rest.messages(session);
  expect(textOf(messages.at(-1) as Parameters<typeof textOf>[0])).toBe('w0 w1 ');
  expect(tools.calls).toBe(1);
};

describe('a process killed around a sign-in', () => {
  it('while a turn waits, and between the callback and the resumed turn, loses nothing', async () => {
    const { session, callback } = await waiting();
    await server.kill();
    // No call runs before the turn continues: the first one that begins is its own.
    await server.restart({ SVC_FAULT_POINT: 'before-tool' });
    await fetch(callback).catch((error: unknown) => {
      // The process may end before its answer is there.
      if (!(error instanceof TypeError)) throw error;
    });
    expect(await server.ended()).toMatchObject({ signal: 'SIGKILL' });
    await server.restart({ SVC_FAULT_POINT: '' });
    await expectEnded(session);
    expect(await (await fetch(callback)).text()).toContain('This was done before');
  });
});
