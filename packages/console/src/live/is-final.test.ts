import { type ErrorCode, SvcError } from '@svc/client';
import { describe, expect, it } from 'vitest';
import { isFinal } from './is-final.ts';

const failed = (code: ErrorCode): boolean => isFinal(new SvcError({ code, reason: '', message: '' }));

describe('isFinal', () => {
  it('ends with refusals and with what does not exist', () => {
    expect(failed('PERMISSION_DENIED')).toBe(true);
    expect(failed('UNAUTHENTICATED')).toBe(true);
    expect(failed('UNIMPLEMENTED')).toBe(true);
    expect(failed('NOT_FOUND')).toBe(true);
  });

  it('goes on after a lost connection and a busy server', () => {
    expect(failed('UNAVAILABLE')).toBe(false);
    expect(failed('RESOURCE_EXHAUSTED')).toBe(false);
    expect(isFinal(new TypeError('network error'))).toBe(false);
  });
});
