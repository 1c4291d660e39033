import { type PlainClient, SvcError } from '@svc/client/plain';
import { expect, it } from 'vitest';
import { ChatCalls, type ChatNames } from './chat-calls.ts';
import { TokenSource } from './token-source.ts';

const NOWHERE: ChatNames = { namespace: '', agent: '', session: '' };
const KEY = { ns: 'acme', agent: 'help', sessionId: 's1' };
const PATH = '/ns/acme/agents/help/sessions/s1';

const grant = { namespace: 'acme', agent: 'help', session: 's1' };
const token = `a.${Buffer.from(JSON.stringify({ 'svc:grants': [grant] })).toString('base64url')}.c`;

/** Calls on a client that answers everything with `{}`, and refuses the first of them if it is told to. */
const callsOn = ({ names = NOWHERE, refusals = 0, canRenew = true } = {}) => {
  const asked: unknown[] = [];
  let left = refusals;
  let tokens = 0;
  const answer = <T>(what: unknown, value: T): T => {
    asked.push(what);
    left -= 1;
    if (left >= 0) throw new SvcError({ code: 'UNAUTHENTICATED', reason: 'CREDENTIALS_EXPIRED', message: 'over' });
    return value;
  };
  const client: PlainClient = {
    baseUrl: '',
    call: async (operation, request, options = {}) =>
      answer([operation, request, options.idempotencyKey].filter(Boolean), {}),
    open: async ({ verb, path, body, signal }) => {
      const arrayBuffer = async (): Promise<ArrayBuffer> => new ArrayBuffer(2);
      const headers = { get: () => null };
      const given = answer([verb, path, ...(body === undefined ? [] : [body])], {
        status: 200,
        headers,
        body: null,
        arrayBuffer,
        text: async () => '',
      });
      signal?.addEventListener('abort', () => asked.push('left'));
      return given;
    },
    lines: async function* ({ path }) {
      asked.push(path);
      yield { cursor: 'c1' };
    },
  };
  const getToken = (): string => {
    tokens += 1;
    return token;
  };
  const source = new TokenSource({
    token: canRenew ? undefined : token,
    getToken: canRenew ? getToken : undefined,
    nowMs: () => 0,
  });
  return { calls: new ChatCalls({ client, reader: client, tokens: source, names }), asked, tokens: () => tokens };
};

it('asks for the conversation that the token names', async () => {
  const { calls, asked } = callsOn();
  const control = new AbortController();
  await calls.load(5, control.signal);
  await calls.messages(3);
  await calls.messages(3, 'm1');
  await calls.send('hi', [{ partType: 'IMAGE', name: 'p.png', url: 'data:,' }], 'k');
  await calls.stop();
  await calls.answer('r', { allow: true, optionId: 'o', data: { a: 1 } });
  await calls.answer('r', { allow: false });
  expect(asked).toEqual([
    ['GatewayService/GetSession', { ...KEY, messageLimit: 5 }],
    ['GatewayService/ListSessionMessages', { ...KEY, pageSize: 3 }],
    ['GatewayService/ListSessionMessages', { ...KEY, pageSize: 3, beforeMessageId: 'm1' }],
    [
      'GatewayService/SendMessage',
      {
        ...KEY,
        message: 'hi',
        parts: [{ partType: 'SESSION_MESSAGE_PART_TYPE_IMAGE', name: 'p.png', payloadJson: '{"url":"data:,"}' }],
      },
      'k',
    ],
    ['GatewayService/StopSessionGeneration', { ...KEY, turnId: '' }],
    [
      'SessionControlService/AnswerPermission',
      { ...KEY, requestId: 'r', optionId: 'o', decision: 'PERMISSION_DECISION_ALLOW', answerJson: '{"a":1}' },
    ],
    [
      'SessionControlService/AnswerPermission',
      { ...KEY, requestId: 'r', optionId: '', decision: 'PERMISSION_DECISION_DENY', answerJson: '' },
    ],
  ]);
});

it('asks paths that are no operation, and leaves the stream of an answer that another stream shows', async () => {
  const { calls, asked } = callsOn();
  await calls.answerAgain('m1');
  expect((await calls.content('m1', '000001')).byteLength).toBe(2);
  const events = calls.events('a/b', { signal: new AbortController().signal, onOpen: () => undefined });
  expect(await events.next()).toEqual({ done: false, value: { cursor: 'c1' } });
  expect(asked).toEqual([
    ['POST', `/v1/ui${PATH}`, '{"messages":[],"trigger":"regenerate-message","messageId":"m1"}'],
    'left',
    ['GET', `/v1${PATH}/messages/m1/parts/000001/content`],
    `/v1${PATH}/stream?after=a%2Fb`,
  ]);
});

it('prefers the names that the page gives', async () => {
  const { calls, asked } = callsOn({ names: { namespace: 'a:b', agent: 'other', session: 's2' } });
  await calls.content('m', 'p');
  expect(asked).toEqual([['GET', '/v1/ns/a%3Ab/agents/other/sessions/s2/messages/m/parts/p/content']]);
});

it('renews a refused token once', async () => {
  const once = callsOn({ refusals: 1 });
  await once.calls.stop();
  expect([once.asked.length, once.tokens()]).toEqual([2, 2]);
  const twice = callsOn({ refusals: 2 });
  await expect(twice.calls.stop()).rejects.toMatchObject({ reason: 'CREDENTIALS_EXPIRED' });
  const given = callsOn({ refusals: 1, canRenew: false });
  await expect(given.calls.stop()).rejects.toMatchObject({ reason: 'CREDENTIALS_EXPIRED' });
  expect(given.asked.length).toBe(1);
});
