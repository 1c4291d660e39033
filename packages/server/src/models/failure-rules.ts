import { isRecord } from '../base/index.ts';
import type { Failure } from './attempt.ts';
import type { ModelErrorClass } from './contract.ts';

const SENTENCES: Readonly<Record<ModelErrorClass, string>> = {
  provider_auth: 'The model provider refused the credentials.',
  provider_rate_limited: 'The model provider is limiting requests.',
  provider_unavailable: 'The model provider is not available.',
  provider_timeout: 'The model provider did not answer in time.',
  provider_stream: 'The answer of the model provider broke off.',
  provider_invalid_request: 'The model provider refused the request.',
  content_filter: 'The model provider refused the request by a content filter.',
  context_overflow: 'The conversation is longer than the model can read.',
};

/** A failure of this class with its standard sentence. */
export const failureOf = (errorClass: ModelErrorClass, more: Partial<Failure> = {}): Failure => ({
  errorClass,
  sentence: SENTENCES[errorClass],
  ...more,
});

export const isModelErrorClass = (text: string): text is ModelErrorClass => Object.hasOwn(SENTENCES, text);

const OVERFLOW_CODES = new Set(['context_length_exceeded', 'string_above_max_length', 'request_too_large']);
const FILTER_CODES = new Set(['content_filter', 'content_policy_violation', 'responsibleaipolicyviolation']);

/**
 * Some providers tell an overflow by words only (no code exists on their wire). The words only pick between two kinds of
 * the same refused request; nothing else is decided by text.
 */
const OVERFLOW_WORDS =
  /prompt is too long|maximum context length|context (?:length|limit|window)|input token count|too many (?:input )?tokens/i;

interface ErrorBody {
  readonly codes: readonly string[];
  readonly message: string;
}

/** Codes and message of the error objects that providers send: `{error: {code, type, status, message}}`, bare or in `response`. */
const readErrorBody = (body: unknown): ErrorBody => {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (!isRecord(first)) return { codes: [], message: '' };
  const outer = isRecord(first['response']) ? first['response'] : first;
  const inner = isRecord(outer['error']) ? outer['error'] : outer;
  const nested = isRecord(inner['innererror']) ? inner['innererror'] : {};
  const codes = [inner['code'], inner['type'], inner['status'], nested['code']];
  const message = typeof outer['error'] === 'string' ? outer['error'] : inner['message'];
  return {
    codes: codes.filter((code): code is string => typeof code === 'string').map((code) => code.toLowerCase()),
    message: typeof message === 'string' ? message : '',
  };
};

/** The two request refusals that providers report in several ways; undefined when the body is about something else. */
const refusalClass = (body: unknown): 'content_filter' | 'context_overflow' | undefined => {
  const { codes, message } = readErrorBody(body);
  if (codes.some((code) => OVERFLOW_CODES.has(code))) return 'context_overflow';
  if (codes.some((code) => FILTER_CODES.has(code))) return 'content_filter';
  return OVERFLOW_WORDS.test(message) ? 'context_overflow' : undefined;
};

const classOfStatus = (status: number): ModelErrorClass => {
  if (status === 401 || status === 403) return 'provider_auth';
  if (status === 429) return 'provider_rate_limited';
  if (status === 408 || status === 409 || status >= 500) return 'provider_unavailable';
  return 'provider_invalid_request';
};

/** Milliseconds of a Retry-After header, seconds or HTTP date; undefined when absent or unreadable. */
const readRetryAfter = (header: string | undefined, nowMs: number): number | undefined => {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
};

interface HttpFailure {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly nowMs: number;
  /** Parsed body when it was JSON. */
  readonly body: unknown;
}

/** The failure behind an HTTP status that is not 2xx. */
export const failureOfStatus = (answer: HttpFailure): Failure => {
  const { status } = answer;
  const base = classOfStatus(status);
  const mayRefuse = base === 'provider_invalid_request' || base === 'provider_auth';
  const refusal = mayRefuse ? refusalClass(answer.body) : undefined;
  const errorClass = refusal ?? (status === 413 ? 'context_overflow' : base);
  const retryAfterMs = readRetryAfter(answer.retryAfter, answer.nowMs);
  return {
    errorClass,
    sentence: `${SENTENCES[errorClass].slice(0, -1)} (HTTP ${status}).`,
    httpStatus: status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
};

/** The failure behind an error event inside an answer that began with 200. */
export const failureOfErrorEvent = (event: unknown): Failure => failureOf(refusalClass(event) ?? 'provider_stream');

/** Whether another try at the same provider may help; never after the first token. */
export const isRetried = (errorClass: ModelErrorClass): boolean =>
  errorClass === 'provider_rate_limited' ||
  errorClass === 'provider_unavailable' ||
  errorClass === 'provider_timeout' ||
  errorClass === 'provider_stream';
