import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { Home } from './command-line/index.ts';
import { ServerProcess } from './server-process/index.ts';

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

/** Runs `svc` to its end; `input` is piped in. */
const svc = async (words: readonly string[], options: { input?: string; editor?: string } = {}) => {
  const { input, editor } = options;
  const environment = { SVC_SERVER: server.url, ...(editor === undefined ? {} : { EDITOR: editor }) };
  const command = home.run(words, environment);
  if (input !== undefined) command.write(input);
  const exit = await command.ended();
  return { exit, out: command.stdout, err: command.stderr };
};

const write = (name: string, text: string): string => {
  const path = join(home.path, name);
  writeFileSync(path, text);
  return path;
};

/** An editor that runs a shell script with the file as $1. */
const editor = (script: string): string => {
  const path = write('editor.sh', `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return path;
};

const manifests = `kind: Agent
metadata: {name: helper}
spec: {systemPrompt: Be kind.}
---
kind: Channel
metadata: {name: room, labels: {team: red}}
spec: {title: Room}
`;

describe('svc against a running server', { timeout: 180_000 }, () => {
  it('takes resources from apply over get, edit, label and patch to delete', async () => {
    write('team.yaml', manifests);
    expect(await svc(['apply', '-f', 'team.yaml', '--wait'])).toMatchObject({
      exit: 0,
      out: expect.stringContaining('2 created'),
    });
    expect((await svc(['get', 'channels'])).out).toMatch(/^NAME +PHASE +TITLE +AGE\nroom +open +Room/);

    const edited = await svc(['edit', 'agent', 'helper'], { editor: editor('sed -i "s/Be kind/Be brief/" "$1"') });
    expect(edited).toEqual({ exit: 0, out: 'agent/helper edited\n', err: '' });
    const unchanged = await svc(['edit', 'agent', 'helper'], { editor: editor('touch "$1"') });
    expect(unchanged).toEqual({ exit: 0, out: '', err: 'nothing was changed\n' });
    const refused = await svc(['edit', 'agent', 'helper'], {
      editor: editor('grep -q refused "$1" && exit 0; sed -i s/systemPrompt/sistemPrompt/ "$1"'),
    });
    expect(refused).toMatchObject({ exit: 1, err: expect.stringContaining('did you mean systemPrompt') });
    const [, kept = ''] = /your text is kept in (\S+)/.exec(refused.err) ?? [];
    expect(readFileSync(kept, 'utf8')).toContain('sistemPrompt: Be brief.');
    rmSync(kept);

    expect((await svc(['label', 'agent', 'helper', 'team=red'])).out).toBe('agent/helper labelled\n');
    expect(await svc(['label', 'agent', 'helper', 'team=blue'])).toMatchObject({ exit: 1 });
    await svc(['label', 'agent', 'helper', 'team=blue', '--overwrite']);
    await svc(['annotate', 'channel', 'room', 'note=for all']);
    const patch = '{"spec": {"postHistoryPrompt": "End."}, "metadata": {"labels": {"tier": "gold"}}}';
    expect((await svc(['patch', 'agent', 'helper', '-p', patch])).out).toBe('agent/helper patched\n');
    expect(JSON.parse((await svc(['get', 'agent', 'helper', '-o', 'json'])).out)).toMatchObject({
      metadata: { labels: { team: 'blue', tier: 'gold' } },
      spec: { systemPrompt: 'Be brief.', postHistoryPrompt: 'End.' },
    });
    expect((await svc(['get', 'channel', 'room', '-o', 'jsonpath={.metadata.annotations.note}'])).out).toBe(
      'for all\n',
    );

    expect((await svc(['delete', '-f', 'team.yaml'])).out).toContain('Agent default/helper deleted\n');
    expect(await svc(['get', 'agent', 'helper'])).toMatchObject({ exit: 4 });
  });

  it('opens an edit again on the newer state when somebody was faster', async () => {
    write('team.yaml', manifests);
    await svc(['apply', '-f', 'team.yaml']);
    const main = `env SVC_SERVER=${server.url} ${process.execPath} ${inject('svcProgram')}`;
    const faster = `test -e faster || { touch faster; ${main} label agent helper faster=yes >/dev/null; }`;
    const edited = await svc(['edit', 'agent', 'helper'], {
      editor: editor(`cp "$1" seen; sed -i "s/Be kind/Be brief/" "$1"; ${faster}`),
    });
    expect(edited).toEqual({
      ...{ exit: 0, out: 'agent/helper edited\n' },
      err: 'someone changed it meanwhile: check the newer state\n',
    });
    expect(readFileSync(join(home.path, 'seen'), 'utf8')).toContain('metadata.labels.faster: changed by others');
    expect(JSON.parse((await svc(['get', 'agent', 'helper', '-o', 'json'])).out)).toMatchObject({
      metadata: { labels: { faster: 'yes' } },
      spec: { systemPrompt: 'Be brief.' },
    });
  });

  it('keeps files, secrets and knowledge', async () => {
    const large = 'large '.repeat(500_000);
    write('notes.md', '# Notes');
    write('large.txt', large);
    expect((await svc(['file', 'put', 'notes.md', '/docs/'])).out).toBe('/docs/notes.md created (7 B)\n');
    expect((await svc(['file', 'put', 'large.txt'])).out).toBe('/large.txt created (2.9 MiB)\n');
    expect(await svc(['file', 'put', 'large.txt'])).toMatchObject({
      out: '/large.txt unchanged (2.9 MiB)\n',
      err: expect.stringContaining('nothing is sent'),
    });
    expect((await svc(['file', 'get', '/docs/notes.md'])).out).toBe('# Notes');
    await svc(['file', 'get', '/large.txt', 'copy.txt']);
    expect(readFileSync(join(home.path, 'copy.txt'), 'utf8')).toBe(large);
    expect((await svc(['file', 'list'])).out).toMatch(/\n\/docs\/notes\.md .*\n\/large\.txt/);
    expect((await svc(['file', 'rm', '/docs/notes.md', '/large.txt'])).exit).toBe(0);

    expect((await svc(['secret', 'set', 'db', 'password'], { input: 'hunter2\n' })).out).toBe('secret/db created\n');
    await svc(['secret', 'set', 'db', 'user'], { input: 'ann' });
    expect((await svc(['secret', 'get', 'db'])).out).not.toContain('hunter2');
    expect((await svc(['secret', 'get', 'db', 'password', '--reveal'])).out).toBe('hunter2');
    expect((await svc(['secret', 'list'])).out).toMatch(/\ndb +Opaque +password, user/);
    expect((await svc(['secret', 'rotate-key'])).exit).toBe(0);
    expect((await svc(['secret', 'get', 'db', 'user', '--reveal'])).out).toBe('ann');

    mkdirSync(join(home.path, 'book', 'part'), { recursive: true });
    write('book/one.md', '# Apples');
    write('book/part/two.md', '# Pears');
    expect((await svc(['knowledge', 'sync', 'book'])).out).toBe('created  one.md\ncreated  part/two.md\n');
    rmSync(join(home.path, 'book', 'one.md'));
    expect((await svc(['knowledge', 'sync', 'book', '--prune', '--yes'])).out).toBe('deleted  one.md\n');
    expect((await svc(['knowledge', 'get', 'part/two.md'])).out).toBe('# Pears');
    await svc(['create', 'agent', 'reader']);
    expect((await svc(['knowledge', 'search', 'pears'])).out).toContain('part/two.md  default');
    expect((await svc(['knowledge', 'delete', 'part/two.md'])).out).toBe('part/two.md deleted\n');
  });

  it('tells what happened, who did it and what limits hold', async () => {
    write('team.yaml', manifests);
    write(
      'caps.yaml',
      'kind: UsagePolicy\nmetadata: {name: caps}\nspec: {hard: [{metric: tool.calls, max: 5, window: 1h}]}\n',
    );
    await svc(['apply', '-f', 'team.yaml', '-f', 'caps.yaml', '--wait']);
    expect((await svc(['events', '--kind', 'agents'])).out).toMatch(/created {2}Agent +default\/helper\n/);
    expect((await svc(['events', '--audit'])).out).toMatch(
      /ResourceService\/ApplyManifests +Agent\/default\/helper +created/,
    );
    expect((await svc(['usage'])).out).toMatch(/\ndefault +caps +tool\.calls +all +1h +0 +5 +0/);
    expect((await svc(['worker', 'list'])).out).toContain(server.url);
    const posted = await svc(['channel', 'post', 'room', 'hello']);
    expect(posted).toMatchObject({ exit: 0, err: expect.stringContaining('no one will answer') });
    expect((await svc(['channel', 'tail', 'room', '--no-follow'])).out).toContain('user: hello\n');
    await svc(['channel', 'close', 'room']);
    expect((await svc(['channel', 'post', 'room', 'more'])).err).toContain('CHANNEL_CLOSED');

    await svc(['create', 'namespace', 'acme', '--labels', 'tier=gold']);
    await svc(['delete', 'namespace', 'acme']);
    expect((await svc(['namespace', 'restore', 'acme'])).out).toBe('namespace/acme restored\n');
    expect((await svc(['get', 'namespace', 'acme', '-o', 'wide'])).out).toContain('tier=gold');
    await svc(['namespace', 'purge', 'acme', '--yes']);
    expect((await svc(['wait', 'namespace', 'acme', '--for', 'delete'])).exit).toBe(0);
  });

  it('takes a secret at a terminal without showing it, and tells how far an upload is', async () => {
    const typing = home.runAtTerminal(['secret', 'set', 'db', 'password', '--server', server.url]);
    await typing.shows('value of db/password:');
    typing.write('hunter2\r');
    expect(await typing.ended()).toBe(0);
    expect(typing.stdout).toContain('secret/db created');
    expect(typing.stdout).not.toContain('hunter2');
    expect((await svc(['secret', 'get', 'db', 'password', '--reveal'])).out).toBe('hunter2');
    write('large.txt', 'large '.repeat(500_000));
    const sending = home.runAtTerminal(['file', 'put', 'large.txt', '--server', server.url]);
    expect(await sending.ended()).toBe(0);
    expect(sending.stdout).toMatch(/sending large\.txt {2}\d+ %.*large\.txt created/s);
  });

  it('shows changes as they happen, until Ctrl-C', async () => {
    const watching = home.runAtTerminal(['get', 'channels', '--watch', '--server', server.url]);
    await watching.shows('CHANGE');
    write('team.yaml', manifests);
    await svc(['apply', '-f', 'team.yaml']);
    await watching.shows(/created +room +open +Room/);
    await svc(['delete', 'channel', 'room']);
    await watching.shows(/deleted +room/);
    watching.write('\u0003');
    expect(await watching.ended()).toBe(130);
  });
});
