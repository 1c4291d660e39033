import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Command, Home } from './command-line/index.ts';
import { buildPackages, installPackages } from './installed/index.ts';
import { MockModel } from './mock-model/index.ts';
import { freePort } from './server-process/index.ts';

/**
 * The build, npm and two dozen processes, one after the other: half a minute on a machine that does nothing else, and over three minutes with five
 * test files beside it.
 */
const LONG = 280_000;
const JWT_SECRET = 'the secret that signs tokens of both teams';
const PASSPHRASE = 'the passphrase of the backup';

const base64 = (text: string): string => Buffer.from(text).toString('base64url');
/** A token as an identity provider of the company would issue it. */
const tokenOf = (sub: string, claims: object): string => {
  const exp = Math.floor(Date.now() / 1000) + 600;
  const signed = `${base64('{"alg":"HS256","typ":"JWT"}')}.${base64(JSON.stringify({ sub, aud: 'svc', exp, ...claims }))}`;
  return `${signed}.${createHmac('sha256', JWT_SECRET).update(signed).digest('base64url')}`;
};
const tokens = {
  operations: tokenOf('operations', { 'svc:grants': [{ role: 'admin', read_secrets: true }] }),
  acme: tokenOf('ann', { 'svc:ns': 'acme', 'svc:role': 'admin' }),
  nothing: tokenOf('nora', {}),
  misspelt: tokenOf('max', { 'svc:namespace': 'acme', 'svc:role': 'admin' }),
  globex: tokenOf('gus', { 'svc:ns': 'globex', 'svc:role': 'operator' }),
};

const manifestOf = (team: string): string =>
  [
    `{kind: Namespace, metadata: {name: ${team}}}`,
    `{kind: Agent, metadata: {name: writer, namespace: ${team}}, spec: {systemPrompt: Write for ${team}.}}`,
    `{kind: Secret, metadata: {name: keys, namespace: ${team}}, spec: {stringData: {token: of-${team}}}}`,
  ].join('\n---\n');

let folder: string;
let home: Home;
let model: MockModel;
let port: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-first-hour-'));
  const packed = await buildPackages(join(folder, 'build'), ['api', 'client', 'connectors', 'server', 'cli']);
  await installPackages(join(folder, 'app'), packed);
  home = new Home(join(folder, 'app', 'node_modules', 'svc', 'bin', 'svc.mjs'));
  model = await MockModel.start();
  port = String(await freePort());
}, LONG);
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command to its end. */
const svc = async (words: readonly string[], token?: keyof typeof tokens) => {
  const credential = token === undefined ? {} : { SVC_TOKEN: tokens[token] };
  const command = home.run(words, {
    SVC_SERVER: `http://127.0.0.1:${port}`,
    SVC_PASSPHRASE: PASSPHRASE,
    ...credential,
  });
  const code = await command.ended();
  return { code, out: command.stdout, err: command.stderr };
};

/** Starts the server and waits until it says where it listens. */
const up = async (...words: readonly string[]): Promise<Command> => {
  const server = home.run(['up', '--no-open', '--port', port, ...words], { TEAM_SECRET: JWT_SECRET });
  await server.shows(`svc is up at http://127.0.0.1:${port}`);
  return server;
};

const configured = (name: string, lines: readonly string[]): string => {
  const file = join(home.path, name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
};

describe('the first hour with the installed packages', () => {
  it(
    'goes from the demo agent to two teams, a backup and its restore, with nothing of the checkout',
    async () => {
      // A server of one's own, and a word with the demo agent.
      const demo = await up();
      expect(await svc(['chat', '-m', 'good morning'])).toMatchObject({ code: 0, out: 'You said: good morning\n' });
      expect(await svc(['doctor'])).toMatchObject({ code: 0 });
      const fields = (await svc(['explain', 'agent', '-o', 'json'])).out;
      expect(JSON.parse(fields)).toMatchObject({ kind: 'Agent', description: 'A conversational agent.' });
      expect(await demo.stop('SIGINT')).toBe(0);

      // A model server of one's own, and an agent that uses it.
      const models = [`models: { providers: ${model.environment['SVC_MODELS_PROVIDERS']}, default: mock/mock-1 }`];
      const own = await up('--config', configured('models.yaml', models));
      const created = await svc(['create', 'agent', 'counter', '--model', 'mock/mock-1', '--prompt', 'Count.']);
      expect(created).toMatchObject({ code: 0 });
      expect(await svc(['chat', 'counter', '-m', 'words 3'])).toMatchObject({ code: 0, out: 'w0 w1 w2 \n' });
      expect(model.requestsFor('words 3')).toHaveLength(1);

      // Two teams, as files.
      mkdirSync(join(home.path, 'teams'));
      for (const team of ['acme', 'globex']) writeFileSync(join(home.path, 'teams', `${team}.yaml`), manifestOf(team));
      expect((await svc(['apply', '-f', 'teams'])).out).toMatch(/created/);
      expect((await svc(['apply', '-f', 'teams'])).out).not.toMatch(/created|configured|repaired/);
      expect(await own.stop('SIGINT')).toBe(0);

      // Each team signs in and sees its own.
      const signedIn = ['auth: { mode: [jwt], jwt: { secret: { env: TEAM_SECRET } } }', ...models];
      const guarded = await up('--no-demo', '--config', configured('signed-in.yaml', signedIn));
      expect((await svc(['get', 'agents', '-n', 'acme'])).code).toBe(3);
      expect((await svc(['get', 'agents', '-n', 'acme', '-o', 'name'], 'acme')).out).toContain('writer');
      expect((await svc(['get', 'agents', '-n', 'globex'], 'acme')).code).toBe(3);
      expect((await svc(['get', 'agents', '-n', 'acme'], 'globex')).code).toBe(3);
      expect((await svc(['create', 'agent', 'more', '-n', 'globex'], 'globex')).code).toBe(3);
      expect((await svc(['get', 'agents', '-n', 'acme'], 'nothing')).code).toBe(3);
      const misspelt = await svc(['get', 'agents', '-n', 'acme'], 'misspelt');
      expect([misspelt.code, misspelt.err]).toEqual([3, expect.stringContaining('svc:namespace')]);
      expect((await svc(['create', 'agent', 'more', '-n', 'acme'], 'acme')).code).toBe(0);
      const chat = await svc(['chat', 'writer', '-n', 'globex', '-m', 'words 2'], 'globex');
      expect(chat).toMatchObject({ code: 0, out: 'w0 w1 \n' });

      // One file with everything, keys included; then another machine's directory from it.
      const archive = join(folder, 'all.tar.zst');
      expect((await svc(['backup', archive, '--include-keys'], 'operations')).code).toBe(0);
      expect(await guarded.stop('SIGINT')).toBe(0);
      const elsewhere = join(folder, 'elsewhere');
      expect((await svc(['restore', archive, '--data-dir', elsewhere])).code).toBe(0);
      const restored = await up('--no-demo', '--data-dir', elsewhere, '--config', join(home.path, 'signed-in.yaml'));
      expect((await svc(['get', 'agents', '-n', 'acme', '-o', 'name'], 'acme')).out).toMatch(/more[\s\S]*writer/);
      const revealed = await svc(['secret', 'get', 'keys', '-n', 'globex', '--reveal', '-o', 'json'], 'operations');
      // Base64 of "of-globex".
      expect(revealed.out).toContain('"b2YtZ2xvYmV4"');
      expect(await restored.stop('SIGINT')).toBe(0);
    },
    LONG,
  );
});
