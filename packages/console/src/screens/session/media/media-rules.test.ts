import { create } from '@bufbuild/protobuf';
import { ObjectRefSchema } from '@svc/api/data';
import { expect, it } from 'vitest';
import { contentPath, mediaName, mediaOffer } from './media-rules.ts';

const stored = (mediaType: string, sizeBytes = 1_000n) => ({
  object: create(ObjectRefSchema, { mediaType, sizeBytes, filename: 'stored.png' }),
});

it.each([
  ['image/png', 'picture'],
  ['image/JPEG', 'picture'],
  ['image/webp; q=1', 'picture'],
  ['image/svg+xml', 'download'],
  ['image/svg+xml;charset=utf-8', 'download'],
  ['text/html', 'download'],
  ['application/xhtml+xml', 'download'],
  ['application/pdf', 'download'],
  ['video/mp4', 'download'],
  ['image/png+xml', 'download'],
  ['', 'download'],
])('offers %s as %s', (mediaType, offer) => {
  expect(mediaOffer(stored(mediaType), false)).toBe(offer);
});

it('does not load large pictures unasked', () => {
  expect(mediaOffer(stored('image/png', 10_485_760n), false)).toBe('picture');
  expect(mediaOffer(stored('image/png', 10_485_761n), false)).toBe('download');
});

it('keeps no more in memory than a page can', () => {
  expect(mediaOffer(stored('video/mp4', 268_435_456n), false)).toBe('download');
  expect(mediaOffer(stored('video/mp4', 268_435_457n), false)).toBe('tooLarge');
});

it('offers nothing before the message is stored, or without bytes', () => {
  expect(mediaOffer(stored('image/png'), true)).toBe('unfinished');
  expect(mediaOffer({}, false)).toBe('absent');
});

it('has a name in any case', () => {
  expect(mediaName({ name: 'a.png', ...stored('image/png') })).toBe('a.png');
  expect(mediaName({ name: '', ...stored('image/png') })).toBe('stored.png');
  expect(mediaName({ name: '' })).toBe('file');
});

it('asks for exactly one part, whatever the names hold', () => {
  const place = { ns: 'a/b', agent: 'c?d', sessionId: 's1', messageId: 'm1', partId: '../p#1' };
  expect(contentPath(place)).toBe('/v1/ns/a%2Fb/agents/c%3Fd/sessions/s1/messages/m1/parts/..%2Fp%231/content');
});
