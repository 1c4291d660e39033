import { describe, expect, it } from 'vitest';
import { decodePageToken, encodePageToken, pageSize, placeNumber } from './page-token.ts';

describe('page tokens', () => {
  it('lead back to the place they were made for', () => {
    const token = encodePageToken(['ns', 'sel', true], ['agent-7']);
    expect(decodePageToken(token, ['ns', 'sel', true])).toEqual(['agent-7']);
  });

  it('mean the first page when empty', () => {
    expect(decodePageToken('', ['ns'])).toBeUndefined();
  });

  it.each([['x'], ['e30'], [Buffer.from('["a"]').toString('base64url')], [Buffer.from('[1,2]').toString('base64url')]])(
    'refuse %s',
    (token) => {
      expect(() => decodePageToken(token, ['ns'])).toThrow(expect.objectContaining({ reason: 'PAGE_TOKEN_INVALID' }));
    },
  );

  it('are refused for another question', () => {
    const token = encodePageToken(['a'], ['x']);
    expect(() => decodePageToken(token, ['b'])).toThrow(expect.objectContaining({ reason: 'PAGE_TOKEN_INVALID' }));
  });
});

describe('numbers in the place of a token', () => {
  it.each([
    ['0', 0],
    ['1750000000000000', 1_750_000_000_000_000],
  ])('are read: %s', (text, value) => {
    expect(placeNumber(text)).toBe(value);
  });

  it.each([undefined, '', 'x', '-1', '1.5', ' 1', '1e3', '9007199254740993', '99999999999999999'])(
    'are refused as a forged token: %s',
    (text) => {
      expect(() => placeNumber(text)).toThrow(expect.objectContaining({ reason: 'PAGE_TOKEN_INVALID' }));
    },
  );
});

describe('page sizes', () => {
  it.each([
    [0, false, 200],
    [7, false, 7],
    [900, false, 200],
    [900, true, 900],
    [5000, true, 1000],
    [0, true, 200],
  ])('of %d (metadata only: %s) are %d', (requested, metadataOnly, answer) => {
    expect(pageSize(requested, metadataOnly)).toBe(answer);
  });

  it('are never negative', () => {
    expect(() => pageSize(-1)).toThrow('pageSize');
  });
});
