import { expect, it } from 'vitest';
import { inputKind, withTakenMedia } from './media-rules.ts';
import { testRequest } from './testing/index.ts';

const media = (mediaType: string) => ({ kind: 'url', mediaType, filename: 'f', url: 'https://example.org/f' }) as const;

it.each([
  ['image/png', 'image'],
  ['audio/mpeg', 'audio'],
  ['video/mp4', 'video'],
  ['application/pdf', 'file'],
])('knows %s as %s', (mediaType, kind) => {
  expect(inputKind(media(mediaType))).toBe(kind);
});

it('leaves a request alone whose media are all taken, and names the others in a line (R22)', () => {
  const request = testRequest('p/m', '', {
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'rules' }] },
      {
        role: 'user',
        content: [
          { type: 'media', media: media('image/png') },
          { type: 'media', media: media('video/mp4') },
        ],
      },
    ],
  });
  expect(withTakenMedia(request, () => true).request).toBe(request);
  const { request: changed, left } = withTakenMedia(request, (item) => item.mediaType === 'image/png');
  expect(changed.messages[1]?.content[0]?.type).toBe('media');
  expect(changed.messages[1]?.content[1]).toMatchObject({ type: 'text', text: '[video/mp4 f]' });
  expect(left).toHaveLength(1);
});
