import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type MakeLink, makePrivateFile, readPrivateFile, replacePrivateFile } from './private-file.ts';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-private-'));
  path = join(directory, 'keys', 'one.json');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const make = (text: string, makeLink?: MakeLink): Promise<string> =>
  makePrivateFile(path, text, { draft: `${path}.${text}`, ...(makeLink === undefined ? {} : { makeLink }) });
const failing =
  (code: string): MakeLink =>
  () =>
    Promise.reject(Object.assign(new Error(code), { code }));

it('is made once, whole, by one of many', async () => {
  const texts = ['a', 'b', 'c', 'd', 'e'];
  const made = await Promise.all(texts.map((text) => make(text)));
  expect(new Set(made)).toEqual(new Set([await readFile(path, 'utf8')]));
  expect(await readdir(join(directory, 'keys'))).toEqual(['one.json']);
  await replacePrivateFile(path, 'f');
  expect([await readPrivateFile(path), await make('g')]).toEqual(['f', 'f']);
});

it('stays as it is when it cannot be replaced, and nothing is left beside it', async () => {
  await make('a');
  const folder = join(directory, 'keys', 'folder.json');
  await mkdir(join(folder, 'full'), { recursive: true });
  const refused = { code: 'FAILED_PRECONDITION', reason: 'KEY_FILE' };
  const message = expect.stringContaining(`${folder} cannot be replaced: `);
  await expect(replacePrivateFile(folder, 'b')).rejects.toMatchObject({ ...refused, message });
  expect(await readdir(join(directory, 'keys'))).toEqual(['folder.json', 'one.json']);
});

it('is made where there are no hard links, and passes on what else is wrong', async () => {
  await expect(make('a', failing('EIO'))).rejects.toMatchObject({ code: 'EIO' });
  expect(await readPrivateFile(path)).toBeUndefined();
  expect(await make('a', failing('EPERM'))).toBe('a');
  expect(await make('b', failing('EPERM'))).toBe('a');
});

it('is made on Windows too, which knows no modes and opens no directories', async () => {
  expect(await makePrivateFile(path, 'a', { draft: `${path}.draft`, platform: 'win32' })).toBe('a');
  await chmod(path, 0o644);
  expect(await readPrivateFile(path, 'win32')).toBe('a');
});

it('is nobody else to read, and says when it vanished', async () => {
  await make('a');
  const other = join(directory, 'open.json');
  await writeFile(other, 'x', { mode: 0o644 });
  await expect(readPrivateFile(other)).rejects.toMatchObject({ reason: 'KEY_FILE' });
  await expect(readPrivateFile(join(path, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  await rm(path);
  const vanishing: MakeLink = async (from, to) => {
    await link(from, to);
    await rm(to);
  };
  await expect(make('b', vanishing)).rejects.toMatchObject({ reason: 'KEY_FILE' });
});
