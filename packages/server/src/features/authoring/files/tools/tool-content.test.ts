import { expect, it } from 'vitest';
import { contentResult } from './tool-content.ts';

const MIB = 1024 * 1024;
const pdf = { text: async () => undefined };

it.each([
  ['video/mp4', 25 * MIB + 1],
  ['text/plain', 25 * MIB + 1],
])('refuses to read %s of %i bytes before it is in memory', async (mediaType, sizeBytes) => {
  const read = () => Promise.reject(new Error('was read'));
  await expect(contentResult(pdf, { facts: {}, mediaType, filename: 'a', sizeBytes, read }, {})).rejects.toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
    reason: 'TOO_LARGE',
    message: `content that a tool reads has more than ${25 * MIB} bytes`,
  });
});

it('shows what is not text as a medium', async () => {
  const bytes = new Uint8Array([1, 2]);
  const shown = {
    facts: { path: '/a' },
    mediaType: 'image/png',
    filename: 'a.png',
    sizeBytes: 2,
    read: async () => bytes,
  };
  expect((await contentResult(pdf, shown, {})).content.at(-1)).toEqual({
    type: 'media',
    mediaType: 'image/png',
    filename: 'a.png',
    bytes,
  });
});
