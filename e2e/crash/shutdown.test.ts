import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RestCaller, type SessionKey, SessionReader, textOf } from '../calls/index.ts';
import { MockModel, wordsFrom } from '../mock-model/index.ts';
import { ServerProcess, until } from '../server-process/index.ts';

const words = (count: number): string => wordsFrom(0, count).join('');
const shuttingDown = { error: { code: 503, status: 'UNAVAILABLE', details: [{ reason: 'SHUTTING_DOWN' }] } };

let model: MockModel;
let server: ServerProcess;
let rest: RestCaller;
beforeEach(async () => {
  model = await MockModel.start();
  server = await ServerProcess.start({ environment: model.environment });
  rest = new RestCaller(server.url);
  await rest.createAgent('writer');
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** Sends a turn that halts in its answer and returns a reader that has seen the first half. */
const halfWay = async (session: SessionKey): Promise<SessionReader> => {
  const reader = new SessionReader(rest, session, { keepsCursor: true });
  await reader.start();
  await rest.send(session, 'go\nwords 8\ngate half 4');
  await model.arrivedAt('half');
  await until('the first half is shown', async () => {
    const shown = [...reader.shown.values()].map((parts) => textOf({ parts })).join('');
    return shown === words(4) || undefined;
  });
  return reader;
};

describe('SIGTERM', () => {
  it('turns readiness off first, ends streams with a cursor and lets the running turn finish', async () => {
    const session = await rest.createSession('writer');
    const reader = await halfWay(session);
    server.terminate();
    const readiness = await until('readiness is off', async () => {
      const answer = await rest.fetch('/readyz');
      const body = await answer.text();
      return answer.status === 503 ? body : undefined;
    });
    expect(readiness).toContain('shutdown');
    model.open('half');
    expect(await server.ended()).toEqual({ code: 0, signal: null });
    await server.restart();
    await reader.ended();
    expect(reader.faults).toMatchObject([shuttingDown.error]);
    expect(
      (reader.faults[0] as { details: { metadata?: { cursor?: string } }[] }).details[0]?.metadata?.cursor,
    ).toBeTruthy();
    const stored = await rest.messages(session);
    expect(stored.map(textOf).at(-1)).toBe(words(8));
    expect([...reader.shown.values()].map((parts) => textOf({ parts }))).toEqual([words(8)]);
    expect(reader.events.filter((event) => event.kind.endsWith('_RESET'))).toEqual([]);
    expect(model.requests).toHaveLength(1);
  });

  it('gives a turn that does not finish in time to the next process, which repeats only the open call', async () => {
    await server.kill();
    await server.restart({ SVC_SERVER_DRAIN_SECONDS: '1' });
    const session = await rest.createSession('writer');
    const reader = await halfWay(session);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    model.open('half');
    await server.restart();
    await reader.ended();
    expect([...reader.shown.values()].map((parts) => textOf({ parts }))).toEqual([words(8)]);
    expect((await rest.messages(session)).map(textOf).at(-1)).toBe(words(8));
    expect(model.requests).toHaveLength(2);
  });

  it('does not wait when it comes twice', async () => {
    const session = await rest.createSession('writer');
    await halfWay(session);
    server.terminate();
    await until('readiness is off', async () => (await rest.fetch('/readyz')).status === 503 || undefined);
    server.terminate();
    await server.ended();
    model.open('half');
    await server.restart();
    await until('the turn is over', async () => (await rest.state(session)) === 'IDLE' || undefined);
    expect((await rest.messages(session)).map(textOf).at(-1)).toBe(words(8));
  });
});
