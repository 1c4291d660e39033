import { afterAll, beforeAll, expect, it } from 'vitest';
import { RestCaller, SessionReader, textOf } from '../calls/index.ts';
import { MockModel, wordsFrom } from '../mock-model/index.ts';
import { ServerProcess, until } from '../server-process/index.ts';

const TURNS = 50;
const WORDS = 20;
const text = (index: number): string => `turn ${index}\nwords ${WORDS}\ngate middle-${index} 10`;
const answer = wordsFrom(0, WORDS).join('');

let model: MockModel;
let server: ServerProcess;
let rest: RestCaller;
beforeAll(async () => {
  model = await MockModel.start();
  server = await ServerProcess.start({ environment: model.environment });
  rest = new RestCaller(server.url);
  await rest.createAgent('writer');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

it('completes all of 50 turns killed in the middle of their answers, watched or not, each once', async () => {
  const sessions = await Promise.all(Array.from({ length: TURNS }, () => rest.createSession('writer')));
  const readers = sessions.flatMap((session, index) =>
    index % 2 === 0 ? [new SessionReader(rest, session, { keepsCursor: index % 4 === 0 })] : [],
  );
  await Promise.all(readers.map((reader) => reader.start()));
  await Promise.all(sessions.map((session, index) => rest.send(session, text(index))));
  await Promise.all(sessions.map((_, index) => model.arrivedAt(`middle-${index}`)));
  await server.kill();
  for (const index of sessions.keys()) model.open(`middle-${index}`);
  await server.restart();

  const isIdle = async (session: (typeof sessions)[number]) => (await rest.state(session)) === 'IDLE' || undefined;
  await Promise.all(sessions.map((session) => until('the turn is over', () => isIdle(session))));
  await Promise.all(readers.map((reader) => reader.ended()));
  for (const [index, session] of sessions.entries()) {
    const messages = await rest.messages(session);
    expect(messages.map(textOf)).toEqual([text(index), answer]);
    expect(model.requestsFor(text(index))).toHaveLength(2);
  }
  for (const reader of readers) {
    expect([...reader.shown.values()].map((parts) => textOf({ parts }))).toEqual([answer]);
  }
  const resumed = readers.filter((reader) => reader.events.some((event) => event.attempt === 1));
  expect(resumed.length).toBeGreaterThan(0);
  for (const reader of resumed) {
    expect(reader.events.filter((event) => event.kind.endsWith('_RESET'))).toMatchObject([
      { attempt: 2, reason: 'recovered' },
    ]);
  }
});
