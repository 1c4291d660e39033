import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha256 } from './sha256.ts';

it('hashes the examples of the standard', async () => {
  expect(await sha256(new Blob(['']))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(await sha256(new Blob(['abc']))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

it.each([55, 56, 63, 64, 65, 119, 120, 200_003])('hashes %i bytes as others do', async (length) => {
  const bytes = Uint8Array.from({ length }, (_byte, index) => (index * 31) % 251);
  expect(await sha256(new Blob([bytes]))).toBe(createHash('sha256').update(bytes).digest('hex'));
});
