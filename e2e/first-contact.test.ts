import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RestCaller, SessionReader, textOf } from './calls/index.ts';
import { Home } from './command-line/index.ts';
import { MockModel } from './mock-model/index.ts';
import { freePort, ServerProcess } from './server-process/index.ts';

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home[Symbol.asyncDispose]());

describe('svc up on a machine where nothing is configured', () => {
  it('answers curl, a stream and svc chat, and starts again unchanged', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const first = home.run(['up', '--no-open', '--port', String(port)]);
    expect(await first.shows('Talk to the demo agent')).toContain(`svc is up at ${url}`);

    const rest = new RestCaller(url);
    const created = await rest.fetch('/v1/ns/default/agents/demo/sessions', { method: 'POST' });
    const { sessionId } = (await created.json()) as { sessionId: string };
    const reader = new SessionReader(rest, ['demo', sessionId], { keepsCursor: true });
    await reader.start();
    await rest.send(['demo', sessionId], 'hello');
    await reader.ended();
    expect([...reader.shown.values()].map((parts) => textOf({ parts }))).toEqual(['You said: hello']);

    const chat = home.run(['chat', '--server', url, '-m', 'good morning']);
    expect(await chat.ended()).toBe(0);
    expect(chat.stdout).toBe('You said: good morning\n');
    const piped = home.run(['chat', '--server', url]);
    piped.write('from a pipe');
    expect(await piped.ended()).toBe(0);
    expect(piped.stdout).toBe('You said: from a pipe\n');

    const agent = await rest.ok<object>('GET /v1/ns/default/agents/demo');
    expect(await first.stop()).toBe(0);
    const second = home.run(['up', '--no-open', '--port', String(port)]);
    await second.shows('svc is up');
    expect(await rest.ok<object>('GET /v1/ns/default/agents/demo')).toEqual(agent);
    expect((await rest.messages(['demo', sessionId])).map(textOf)).toEqual(['hello', 'You said: hello']);
    expect(await second.stop('SIGINT')).toBe(0);
  });

  it('says what to do when the port is taken', async () => {
    await using server = await ServerProcess.start();
    const command = home.run(['up', '--no-open', '--port', String(server.port)]);
    expect(await command.ended()).toBe(3);
    expect(command.stderr).toContain('is taken');
  });
});

describe('svc chat at a terminal', () => {
  const words = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, index) => `w${from + index} `).join('');
  /** How often each word of the answer stands on the screen. */
  const counts = (screen: string): number[] =>
    Array.from({ length: 8 }, (_, index) => screen.split(new RegExp(`\\bw${index}\\b`)).length - 1);

  it.each([
    ['killed', (server: ServerProcess) => server.kill()],
    ['stopped', (server: ServerProcess) => server.stop().then(() => undefined)],
  ])('goes on by itself when the server is %s and started again, without lost or repeated text', async (_, end) => {
    await using model = await MockModel.start();
    await using server = await ServerProcess.start({
      environment: { ...model.environment, SVC_SERVER_DRAIN_SECONDS: '1' },
    });
    await new RestCaller(server.url).createAgent('demo');
    const chat = home.runAtTerminal(['chat', 'demo', '--server', server.url]);
    await chat.shows('you>');
    chat.write('words 8; gate half 4\r');
    await model.arrivedAt('half');
    await chat.shows(words(0, 4).trimEnd());
    await end(server);
    await chat.shows(/connection lost|the server is shutting down/);
    model.open('half');
    await server.restart();
    const screen = await chat.shows(/w7/);
    expect(counts(screen)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(screen).toContain('connected again');
    const next = chat.stdout.length;
    await chat.shows(/you>[^>]*$/);
    chat.write('words 2\r');
    await chat.shows('w0 w1', next);
    chat.write('/quit\r');
    expect(await chat.ended()).toBe(0);
  });

  it('stops the answer at Ctrl-C and keeps what was shown', async () => {
    await using model = await MockModel.start();
    await using server = await ServerProcess.start({ environment: model.environment });
    await new RestCaller(server.url).createAgent('demo');
    const chat = home.runAtTerminal(['chat', 'demo', '--server', server.url]);
    await chat.shows('you>');
    chat.write('words 8; gate half 4\r');
    await chat.shows(words(0, 4).trimEnd());
    chat.write('\u0003');
    await chat.shows('(stopped)');
    chat.write('/quit\r');
    expect(await chat.ended()).toBe(0);
    expect(counts(chat.stdout)).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
  });
});
