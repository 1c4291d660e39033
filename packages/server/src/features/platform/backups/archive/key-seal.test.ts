import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { seededRandom } from '../../../../base/index.ts';
import { openKeys, sealKeys } from './key-seal.ts';

const files = { 'master.json': Buffer.from('{"keys":[]}'), 'tokens.json': Buffer.from([0, 255]) };
const PASSPHRASE = 'correct horse battery';
const seal = (given: Readonly<Record<string, Uint8Array>>) => sealKeys(given, PASSPHRASE, seededRandom(1));
/** Sealed once: the tests change copies. */
const sealedFiles = seal(files);

it('keys are opened by their passphrase and hidden from everyone else', async () => {
  const sealed = await sealedFiles;
  expect(Buffer.from(sealed).toString()).not.toContain(files['master.json'].toString('base64').slice(0, 8));
  expect(await openKeys(sealed, PASSPHRASE)).toEqual(files);
});

it('another passphrase, and a changed seal, open nothing', async () => {
  const sealed = await sealedFiles;
  await expect(openKeys(sealed, 'correct horse Battery')).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
    reason: 'PASSPHRASE',
  });
  const text = JSON.parse(Buffer.from(sealed).toString()) as { tag: string };
  const changed = JSON.stringify({ ...text, tag: Buffer.alloc(16).toString('base64') });
  await expect(openKeys(Buffer.from(changed), PASSPHRASE)).rejects.toMatchObject({ reason: 'PASSPHRASE' });
});

it('a short passphrase is refused', async () => {
  await expect(sealKeys(files, 'short', seededRandom(1))).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    reason: 'PASSPHRASE',
  });
});

it('only key files come out, and only of the known cipher', async () => {
  const strange = await seal({ '../master.json': Buffer.from('x') });
  await expect(openKeys(strange, PASSPHRASE)).rejects.toMatchObject({ reason: 'ARCHIVE_DAMAGED' });
  const text = JSON.parse(Buffer.from(await sealedFiles).toString()) as object;
  const other = Buffer.from(JSON.stringify({ ...text, cipher: 'rot13' }));
  await expect(openKeys(other, PASSPHRASE)).rejects.toMatchObject({ reason: 'ARCHIVE_DAMAGED' });
});
