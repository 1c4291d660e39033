import type { ApplyManifestsRequest, CreateFileRequest } from '@svc/api/gateway';
import { beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault, type FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

const disk = (text: string) => ({
  '/work/team': { text: '', mode: 0o700, isDirectory: true },
  '/work/team/file.yaml': { text, mode: 0o600 },
  '/work/team/a.md': { text: 'text', mode: 0o600 },
});
const manifest = (spec: string): string => `kind: File\nmetadata: {namespace: acme}\nspec: {${spec}}\n`;
/** SHA-256 of "text". */
const HASH = '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1';

const applied: ApplyManifestsRequest[] = [];
const sent: CreateFileRequest[] = [];
let stored = '';
let isRefused = false;
let outcome = 1;
/** Documents that fail after the first. */
let failed = 0;
/** What the answer to an apply shows of the File; nothing when it has no room for it. */
let shown: object | undefined;
const calls: string[] = [];
beforeEach(() => {
  applied.length = 0;
  sent.length = 0;
  stored = '';
  isRefused = false;
  outcome = 1;
  failed = 0;
  shown = undefined;
});
const handlers: FakeHandlers = {
  unary: {
    ApplyManifests: (request: ApplyManifestsRequest) => {
      applied.push(request);
      const result = { kind: 'File', ns: 'acme', name: 'f', ...(shown === undefined ? {} : { resource: shown }) };
      return {
        results: [{ ...result, outcome }, ...Array.from({ length: failed }, () => ({ ...result, outcome: 6 }))],
      };
    },
    ListFiles: () => ({
      files: stored === '' ? [] : [{ spec: { path: '/docs/a.md' }, status: { objectRef: { sha256: stored } } }],
    }),
    UpdateFile: () => ({}),
    CreateFile: (request: CreateFileRequest) => {
      if (isRefused) throw new FakeFault('RESOURCE_EXHAUSTED', 'STORAGE_QUOTA');
      sent.push(request);
      return {};
    },
  },
};
const apply = async (text: string, ...words: string[]) => {
  const shell = fakeHost({ handlers, files: disk(text) });
  const exit = await shell.run('apply', '-f', 'team', ...words);
  calls.splice(0, calls.length, ...shell.calls);
  return { exit, out: shell.out(), err: shell.err() };
};

describe('contentFromFile of a File', () => {
  const named = manifest('path: /docs/a.md, contentFromFile: a.md');

  it('is sent after the manifest, which is applied without it', async () => {
    expect(await apply(named)).toMatchObject({
      exit: exitCodes.ok,
      err: 'sent /work/team/a.md to acme/docs/a.md\n',
    });
    expect(applied[0]?.text).not.toContain('contentFromFile');
    expect(sent).toMatchObject([
      { ns: 'acme', file: { spec: { path: '/docs/a.md', mediaType: 'text/markdown' } }, filename: 'a.md' },
    ]);
    expect(new TextDecoder().decode(sent[0]?.content)).toBe('text');
  });

  it('is not sent when the server has these bytes, nor by a rehearsal', async () => {
    stored = HASH;
    expect(await apply(named)).toMatchObject({ exit: exitCodes.ok, err: '' });
    stored = '';
    expect((await apply(named, '--dry-run=server')).exit).toBe(exitCodes.ok);
    expect(sent).toEqual([]);
  });

  it('is a difference when the server has other bytes', async () => {
    const diff = async () => {
      const shell = fakeHost({ handlers, files: disk(named) });
      return { exit: await shell.run('diff', '-f', 'team'), out: shell.out() };
    };
    outcome = 3;
    stored = HASH;
    expect(await diff()).toEqual({ exit: exitCodes.ok, out: '' });
    stored = 'other';
    const out = 'Bytes of File acme/docs/a.md differ from /work/team/a.md\n';
    expect(await diff()).toEqual({ exit: exitCodes.refused, out });
  });

  it.each([
    ['path: /a, contentFromFile: none.md', 'spec.contentFromFile: there is no file none.md (FILE_MISSING)'],
    ['path: /a, contentFromFile: ../team', 'there is no file ../team (FILE_MISSING)'],
    ['path: /a, contentFromFile: [a.md]', 'must name a file'],
  ])('refuses {%s} with its place', async (spec, reason) => {
    const refused = await apply(manifest(spec));
    expect([refused.exit, applied]).toEqual([exitCodes.refused, []]);
    expect(refused.err).toMatch(/\nteam\/file\.yaml:3:\d\d: File\/acme\//);
    expect(refused.err).toContain(reason);
  });

  it('ends with 2 when the rest is applied and the bytes are refused', async () => {
    isRefused = true;
    expect(await apply(named)).toMatchObject({
      exit: exitCodes.partial,
      err: expect.stringContaining('the bytes of File acme/docs/a.md were not sent: STORAGE_QUOTA happened'),
    });
  });

  it('is sent for what is applied, though other documents are not', async () => {
    failed = 1;
    const other = manifest('path: /docs/b.md, contentFromFile: a.md');
    const partial = await apply(`${named}---\n${other}`, '--no-atomic', '--keep-going');
    expect(partial).toMatchObject({ exit: exitCodes.partial, err: expect.stringContaining('only some of it') });
    expect(sent).toMatchObject([{ file: { spec: { path: '/docs/a.md' } } }]);
    outcome = 3;
    expect((await apply(`${named}---\n${other}`, '--no-atomic')).exit).toBe(exitCodes.partial);
    stored = HASH;
    expect((await apply(`${named}---\n${other}`, '--no-atomic')).exit).toBe(exitCodes.refused);
  });

  it('is unknown to other kinds', async () => {
    expect((await apply('kind: Task\nmetadata: {name: t}\nspec: {contentFromFile: a.md}\n')).err).toContain(
      'spec.contentFromFile: unknown field',
    );
  });
});

describe('a File that the answer to the apply shows', () => {
  const shows = (status: object): void => {
    const metadata = { name: 'f', namespace: 'acme' };
    shown = { kind: 'File', metadata, status: { kind: { case: 'file', value: status } } };
  };
  const named = manifest('path: /docs/a.md, contentFromFile: a.md');

  it('is not asked for again, whether its bytes are to be sent, are there or are missing', async () => {
    shows({ objectRef: { sha256: HASH } });
    expect((await apply(named)).err).toBe('');
    expect((await apply(manifest('path: /docs/a.md'))).err).toBe('');
    expect(calls).toEqual(['ApplyManifests']);
    shows({});
    expect((await apply(manifest('path: /docs/a.md'))).err).toContain('File acme/docs/a.md has no bytes');
    expect(calls).toEqual(['ApplyManifests']);
    expect((await apply(named)).err).toBe('sent /work/team/a.md to acme/docs/a.md\n');
    expect(calls).toEqual(['ApplyManifests', 'UpdateFile']);
  });

  it('has no bytes when it has no status yet', async () => {
    shown = { kind: 'File', metadata: { name: 'f' } };
    expect((await apply(manifest('path: /docs/a.md'))).err).toContain('has no bytes');
    expect(calls).toEqual(['ApplyManifests']);
  });
});

describe('a File without bytes', () => {
  it('is told of, unless the server has some', async () => {
    const bare = manifest('path: /docs/a.md');
    expect((await apply(bare)).err).toBe(
      'File acme/docs/a.md has no bytes: name them with spec.contentFromFile, or `svc file put LOCAL /docs/a.md`\n',
    );
    stored = HASH;
    expect((await apply(bare)).err).toBe('');
  });
});
