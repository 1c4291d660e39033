import { describe, expect, it } from 'vitest';
import { failureOfErrorEvent, failureOfStatus, isModelErrorClass, isRetried } from './failure-rules.ts';

const at = (status: number, body: unknown, retryAfter?: string) =>
  failureOfStatus({ status, body, retryAfter, nowMs: Date.UTC(2026, 0, 1) });

describe('failure rules (RT-4.5)', () => {
  it.each([
    [{ error: { code: 'context_length_exceeded' } }, 'context_overflow'],
    [{ error: { type: 'REQUEST_TOO_LARGE' } }, 'context_overflow'],
    [{ error: 'This model has a maximum context length of 8192 tokens' }, 'context_overflow'],
    [
      [{ error: { status: 'INVALID_ARGUMENT', message: 'The input token count exceeds the limit' } }],
      'context_overflow',
    ],
    [{ error: { innererror: { code: 'ResponsibleAIPolicyViolation' }, code: 'x' } }, 'content_filter'],
    [{ message: 'bad field' }, 'provider_invalid_request'],
    [{ error: { message: 5, code: 7 } }, 'provider_invalid_request'],
    ['not an object', 'provider_invalid_request'],
    [[], 'provider_invalid_request'],
  ])('reads %j', (body, errorClass) => {
    expect(at(400, body).errorClass).toBe(errorClass);
  });

  it('takes a too large body for an overflow, whatever it says', () => {
    expect(at(413, {}).errorClass).toBe('context_overflow');
    expect(at(413, { error: { code: 'content_filter' } }).errorClass).toBe('content_filter');
  });

  it('does not read overflow words into other statuses', () => {
    expect(at(429, { error: { message: 'too many tokens' } }).errorClass).toBe('provider_rate_limited');
    expect(at(500, { error: { message: 'context window' } }).errorClass).toBe('provider_unavailable');
  });

  it.each([
    ['3', 3000],
    ['1.5', 1500],
    ['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    [' ', undefined],
    [undefined, undefined],
  ])('reads Retry-After %s', (header, expected) => {
    expect(at(429, {}, header).retryAfterMs).toBe(expected);
  });

  it('takes an error event for a broken stream unless it is a refusal', () => {
    expect(failureOfErrorEvent({ error: { type: 'overloaded_error' } }).errorClass).toBe('provider_stream');
    expect(failureOfErrorEvent(undefined).errorClass).toBe('provider_stream');
    expect(failureOfErrorEvent({ error: { code: 'content_filter' } }).errorClass).toBe('content_filter');
  });

  it('knows its classes and which of them are tried again', () => {
    expect(isModelErrorClass('provider_auth')).toBe(true);
    expect(isModelErrorClass('toString')).toBe(false);
    const all = [
      'provider_auth',
      'provider_rate_limited',
      'provider_unavailable',
      'provider_timeout',
      'provider_stream',
      'content_filter',
    ] as const;
    expect(all.filter(isRetried)).toEqual([
      'provider_rate_limited',
      'provider_unavailable',
      'provider_timeout',
      'provider_stream',
    ]);
  });
});
