import { createClient, textOf } from '@svc/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Home } from './command-line/index.ts';
import { freePort, ServerProcess, until } from './server-process/index.ts';

let home: Home;
let server: ServerProcess;
beforeEach(async () => {
  home = new Home();
  server = await ServerProcess.start();
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const svc = async (...words: string[]) => {
  const command = home.run(words, { SVC_SERVER: server.url });
  const exit = await command.ended();
  return { exit, out: command.stdout, err: command.stderr };
};

it('the end of a turn that is over already ends svc session watch and stream', async () => {
  await svc('create', 'agent', 'parrot');
  const id = (await svc('create', 'session', 'parrot', '-o', 'name')).out.trim().replace(/^session\//, '');
  expect(await svc('send', id, 'hello', '--wait')).toMatchObject({ exit: 0, out: 'You said: hello\n' });
  expect(await svc('session', 'watch', id, '--until-done')).toMatchObject({ exit: 0, out: 'You said: hello\n' });
  const { exit, out } = await svc('session', 'stream', id, '--until-done');
  const kinds = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).kind);
  expect([exit, kinds.at(-1)]).toEqual([0, 'SESSION_MESSAGE_PART_EVENT_KIND_DONE']);
});

it('the example of the client README ends', async () => {
  const client = createClient({ baseUrl: server.url });
  await client.gateway.createAgent({
    ns: 'default',
    name: 'parrot',
    spec: { modelPolicy: { profiles: [{ name: 'default', model: { provider: 'demo', name: 'echo' } }] } },
  });
  const session = await client.createSession({ ns: 'default', agent: 'parrot' });
  let reply = '';
  for await (const event of session.ask('hello')) reply += event.part?.partType === 1 ? event.part.content : '';
  const views: string[] = [];
  for await (const view of session.watch({ untilDone: true }))
    views.push(view.messages.map((message) => textOf(message)).join(' | '));
  expect([reply, views]).toEqual(['You said: hello', ['hello | You said: hello']]);
});

it('Ctrl-C on the server says what it waits for, watchers are told, and a second one stops at once', async () => {
  const port = await freePort();
  const up = home.run(['up', '--no-open', '--port', String(port)]);
  await up.shows('svc is up');
  const flags = ['--server', `http://127.0.0.1:${port}`];
  const watching = home.run(['get', 'agents', '--watch', ...flags]);
  await watching.shows('demo');
  const chat = home.run(['chat', ...flags, '-m', '!delay 60000']);
  await until('the turn runs', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return /^svc_turn_open 1$/m.test(metrics) ? metrics : undefined;
  });
  up.interrupt();
  await up.shows(/stopping: 1 answer hands over after the next step; \d readers? (?:is|are) asked to come back later/);
  await watching.shows('the server is shutting down; waiting for it to come back');
  expect(await up.stop('SIGINT')).toBe(130);
  await watching.stop();
  await chat.stop();
});
