import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { Home } from './command-line/index.ts';
import { ServerProcess, until } from './server-process/index.ts';

interface Listed {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
}

let home: Home;
let from: ServerProcess;
let to: ServerProcess;
beforeEach(async () => {
  home = new Home();
  from = await ServerProcess.start();
  to = await ServerProcess.start();
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  await from[Symbol.asyncDispose]();
  await to[Symbol.asyncDispose]();
});

const svc = async (server: ServerProcess, ...words: readonly string[]) => {
  const command = home.run(words, { SVC_SERVER: server.url });
  const exit = await command.ended();
  return { exit, out: command.stdout, err: command.stderr };
};
const list = (
  server: ServerProcess,
): Promise<{ readonly resources: readonly Listed[]; readonly resourceVersion: string }> =>
  new RestCaller(server.url).ok('GET /v1/ns/-/resources');
/** Uids by kind and name of what a person wrote. */
const uids = async (server: ServerProcess): Promise<Record<string, string>> => {
  const { resources } = await list(server);
  const written = resources.filter(
    ({ kind, metadata: { name } }) =>
      kind !== 'Worker' && !(kind === 'Namespace' && ['default', 'system'].includes(name)),
  );
  return Object.fromEntries(
    written.map(({ kind, metadata: { namespace = '', name, uid } }) => [`${kind} ${namespace}/${name}`, uid]),
  );
};
const write = (name: string, text: string): void => writeFileSync(join(home.path, name), text);
const skill = (name: string, more = ''): string =>
  `kind: Skill\nmetadata: {name: ${name}, namespace: acme${more}}\nspec: {description: d, instructions: i}\n`;

/** Resources of several kinds, a file, and one that is owned by another whose kind is applied later. */
const fill = async (): Promise<Record<string, string>> => {
  const agent = 'kind: Agent\nmetadata: {name: helper, namespace: acme}\nspec: {systemPrompt: Hi}\n';
  const channel = 'kind: Channel\nmetadata: {name: room, namespace: acme}\nspec: {title: Room}\n';
  write('all.yaml', ['kind: Namespace\nmetadata: {name: acme}\n', agent, channel, skill('free')].join('---\n'));
  expect(await svc(from, 'apply', '-f', 'all.yaml')).toMatchObject({ exit: 0 });
  const owner = (await uids(from))['Agent acme/helper'] ?? '';
  write('owned.yaml', skill('owned', `, ownerReferences: [{kind: Agent, name: helper, uid: "${owner}"}]`));
  expect(await svc(from, 'apply', '-f', 'owned.yaml')).toMatchObject({ exit: 0 });
  write('note.md', 'hello');
  expect(await svc(from, 'file', 'put', 'note.md', '/note.md', '-n', 'acme')).toMatchObject({ exit: 0 });
  return uids(from);
};

it('an import keeps every uid, and again changes nothing', { timeout: 180_000 }, async () => {
  const before = await fill();
  expect(Object.keys(before)).toEqual([
    'Agent acme/helper',
    'Channel acme/room',
    expect.stringMatching(/^File acme\/note-md-/),
    'Namespace /acme',
    'Skill acme/free',
    'Skill acme/owned',
  ]);
  const caller = new RestCaller(from.url);
  const sessions = '/v1/ns/acme/agents/helper/sessions';
  const overrides = { model: 'other', temperature: 0.5, systemPrompt: 'You are a parrot.' };
  const { sessionId } = await caller.ok<{ sessionId: string }>(`POST ${sessions}`, { overrides });
  await caller.ok(`POST ${sessions}/${sessionId}/message`, { message: 'hi', waitSeconds: 30 });
  const { out: archive } = await svc(from, 'export', '-A', '--data');
  write('all.jsonl', archive);
  const first = await svc(to, 'import', 'all.jsonl');
  expect(first).toMatchObject({ exit: 0, err: '5 resources, 1 file, 1 session, 2 messages written\n' });
  expect(await uids(to)).toEqual({ ...before, [`Session acme/${sessionId}`]: sessionId });
  const told = await new RestCaller(to.url).ok(`GET ${sessions}/${sessionId}/messages`);
  expect(told).toMatchObject({ items: [{ message: { parts: [{ content: 'hi' }] } }, { message: {} }] });
  expect(await new RestCaller(to.url).ok(`GET ${sessions}/${sessionId}`)).toMatchObject({ overrides });
  const { resourceVersion } = await list(to);
  const again = await svc(to, 'import', 'all.jsonl');
  expect(again.out).toContain('5 unchanged');
  expect((await list(to)).resourceVersion).toBe(resourceVersion);
  // What the owner owned goes with it, and nothing else.
  expect(await svc(to, 'delete', 'agent', 'helper', '-n', 'acme', '--yes')).toMatchObject({ exit: 0 });
  await until('the owned skill is gone', async () => ('Skill acme/owned' in (await uids(to)) ? undefined : true));
  expect(await uids(to)).toHaveProperty(['Skill acme/free'], before['Skill acme/free']);
});

it('an import gives a new uid where the old one is taken by another name', { timeout: 180_000 }, async () => {
  const before = await fill();
  const { out: manifests } = await svc(from, 'export', '-A', '--uids');
  expect(manifests).toContain(before['Skill acme/free']);
  write('copy.yaml', manifests.replaceAll('name: free', 'name: copy'));
  expect(await svc(from, 'import', 'copy.yaml')).toMatchObject({ exit: 0 });
  const { 'Skill acme/copy': copy, ...rest } = await uids(from);
  expect(rest).toEqual(before);
  expect(copy).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  expect(Object.values(before)).not.toContain(copy);
});
