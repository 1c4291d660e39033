import { SessionMessagePartType } from '@svc/api/data';
import { expect, it } from 'vitest';
import { attachmentPart, withFiles } from './attachments.ts';

const bytes = new Uint8Array([104, 105]);

it('carries its bytes in a data URL', () => {
  expect(attachmentPart({ name: 'a.png', mediaType: 'image/png', bytes })).toEqual({
    partType: SessionMessagePartType.IMAGE,
    name: 'a.png',
    payloadJson: '{"url":"data:image/png;base64,aGk="}',
  });
});

it('is a file where its type is no medium or unknown', () => {
  expect(attachmentPart({ name: 'a.csv', mediaType: 'text/csv', bytes }).partType).toBe(SessionMessagePartType.FILE);
  expect(attachmentPart({ name: 'a', mediaType: '', bytes })).toEqual({
    partType: SessionMessagePartType.FILE,
    name: 'a',
    payloadJson: '{"url":"data:application/octet-stream;base64,aGk="}',
  });
});

it('keeps every byte of a large file', () => {
  const { payloadJson } = attachmentPart({
    name: 'a',
    mediaType: 'text/plain',
    bytes: new Uint8Array(100_000).fill(97),
  });
  const { url } = JSON.parse(payloadJson) as { readonly url: string };
  expect(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64').toString()).toBe('a'.repeat(100_000));
});

it('is not added twice', () => {
  const file = { key: 'a', name: 'a', mediaType: '', bytes };
  expect(withFiles([file], [{ ...file }, { ...file, key: 'b' }]).map(({ key }) => key)).toEqual(['a', 'b']);
});
