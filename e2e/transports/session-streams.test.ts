import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestCaller, textOf } from '../calls/index.ts';
import { MockModel, wordsFrom } from '../mock-model/index.ts';
import { ServerProcess } from '../server-process/index.ts';
import { type StreamedEvent, streamOpeners } from './streams/index.ts';

const words = (from: number, to: number): string => wordsFrom(from, to).join('');

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

const textSeen = (events: readonly StreamedEvent[]): string =>
  events
    .filter((event) => event.kind === 'DELTA' && event.type === 'TEXT')
    .map((event) => event.content)
    .join('');

describe.each(streamOpeners)('a session stream by %s', (name, open) => {
  it('shows text while the model still writes, then usage and DONE, and ends', async () => {
    const session = await rest.createSession('writer');
    const gate = `live ${name}`.replaceAll(' ', '-');
    const { streamCursor } = await rest.messagePage(session);
    await rest.send(session, `go\nwords 8\ngate ${gate} 4`);
    const seen: StreamedEvent[] = [];
    for await (const event of open(server.url, session, streamCursor)) {
      seen.push(event);
      if (textSeen(seen) === words(0, 4)) model.open(gate);
    }
    expect(textSeen(seen)).toBe(words(0, 8));
    expect(seen.slice(-2).map((event) => [event.kind, event.type])).toEqual([
      ['DELTA', 'USAGE'],
      ['DONE', ''],
    ]);
  });

  it('goes on after any cursor with exactly what is missing', async () => {
    const session = await rest.createSession('writer');
    const { streamCursor } = await rest.messagePage(session);
    await rest.send(session, 'go\nwords 6', { waitSeconds: 30 });
    const whole: StreamedEvent[] = [];
    for await (const event of open(server.url, session, streamCursor)) whole.push(event);
    expect(textSeen(whole)).toBe(textOf((await rest.messages(session)).at(-1)));
    const [first] = whole;
    const missing: StreamedEvent[] = [];
    for await (const event of open(server.url, session, first?.cursor ?? '')) missing.push(event);
    expect(textSeen([first!, ...missing])).toBe(words(0, 6));
    expect(missing.at(-1)?.kind).toBe('DONE');
  });
});
