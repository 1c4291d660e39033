import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Part, RestCaller, type SessionEvent, type SessionKey, SessionReader } from './calls/index.ts';
import { type ChatMessage, MockModel, wordsFrom } from './mock-model/index.ts';
import { ServerProcess, until } from './server-process/index.ts';

let model: MockModel;
let server: ServerProcess;
let rest: RestCaller;
beforeAll(async () => {
  model = await MockModel.start();
  server = await ServerProcess.start({ environment: model.environment });
  rest = new RestCaller(server.url);
  await rest.createAgent('thinker');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const words = wordsFrom(0, 4).join('');
/** Two model calls: thoughts between what it says and a tool call, then a thought and the words behind the gate. */
const questionFor = (gate: string): string =>
  [
    'think weigh it',
    'say I calculate',
    'think six times seven',
    'say with a tool',
    'call calculate {"expression":"6*7"}',
    'think so it is 42',
    'words 4',
    `gate ${gate} 0`,
  ].join('\n');

const typeOf = (part: Part): string => part.partType.replace('SESSION_MESSAGE_PART_TYPE_', '');
const shortForm = (part: Part): string =>
  /TEXT|REASONING/.test(part.partType) ? `${typeOf(part)} ${part.content}` : typeOf(part);
const wholeTurn = [
  'REASONING weigh it ',
  'TEXT I calculate ',
  'REASONING six times seven ',
  'TEXT with a tool ',
  'USAGE',
  'TOOL_CALL',
  'TOOL_RESULT',
  'REASONING so it is 42 ',
  `TEXT ${words}`,
  'USAGE',
];

/** Each delta's part in the order of the stream, deltas of one part that follow each other as one. */
const streamed = (events: readonly SessionEvent[]): readonly string[] => {
  const parts: Part[] = [];
  for (const { kind, part } of events) {
    if (part === undefined || !kind.endsWith('_DELTA')) continue;
    const last = parts.at(-1);
    if (last?.id === part.id) parts.splice(-1, 1, { ...last, content: last.content + part.content });
    else parts.push(part);
  }
  return parts.map(shortForm);
};

const storedAnswer = async (session: SessionKey): Promise<readonly string[]> =>
  ((await rest.messages(session)).at(-1)?.parts ?? []).map(shortForm);

/** What the model must see of its first answer while the turn is not over. */
const firstAnswer: ChatMessage = {
  role: 'assistant',
  content: 'I calculate with a tool ',
  reasoning_content: 'weigh it six times seven ',
  tool_calls: [{ id: 'call-0', type: 'function', function: { name: 'calculate', arguments: '{"expression":"6*7"}' } }],
};

describe('a model that thinks between what it says and calls', () => {
  it('has its thoughts shown at once, stored in its order, and sent back until the turn is over', async () => {
    const session = await rest.createSession('thinker');
    const reader = new SessionReader(rest, session, { keepsCursor: true });
    await reader.start();
    const question = questionFor('shown');
    await rest.send(session, question);
    await model.arrivedAt('shown');
    await until(
      'the thought is shown before the words come',
      async () => streamed(reader.events).length === 8 || undefined,
    );
    expect(streamed(reader.events)).toEqual(wholeTurn.slice(0, 8));
    model.open('shown');
    await reader.ended();
    expect(streamed(reader.events)).toEqual(wholeTurn);
    expect(await storedAnswer(session)).toEqual(wholeTurn);
    expect(model.requestsFor(question).map(({ body: _asSent, ...read }) => read)).toEqual([
      { text: question, results: [], answers: [] },
      { text: question, results: ['42'], answers: [firstAnswer] },
    ]);

    await rest.send(session, 'words 1', { waitSeconds: 30 });
    const [next] = model.requestsFor('words 1');
    expect(next?.answers.map(Object.keys)).toEqual([
      ['role', 'content', 'tool_calls'],
      ['role', 'content'],
    ]);
  });

  it('gets its thoughts back from the journal when the server died behind its tool call', async () => {
    const session = await rest.createSession('thinker');
    const question = questionFor('killed');
    await rest.send(session, question);
    await model.arrivedAt('killed');
    await server.kill();
    model.open('killed');
    await server.restart();
    await until('the turn is over', async () => (await rest.state(session)) === 'IDLE' || undefined);
    expect(await storedAnswer(session)).toEqual(wholeTurn);
    expect(model.requestsFor(question).map(({ answers }) => answers)).toEqual([[], [firstAnswer], [firstAnswer]]);
  });
});
