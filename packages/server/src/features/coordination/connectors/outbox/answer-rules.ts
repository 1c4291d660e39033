import { textOrEmpty } from '../../../../base/index.ts';
import type { JsonMap } from '../../../../resources/index.ts';

/** What a connector service answered, or why there is no answer. */
export type DeliveryAnswer =
  | {
      readonly status: number;
      /** Value of the header Retry-After, '' without one. */
      readonly retryAfter: string;
      /** Undefined when the body is not a JSON object. */
      readonly body: JsonMap | undefined;
    }
  | { readonly failed: string };

/** What follows from an answer. */
export type Verdict =
  | { readonly do: 'delivered' }
  /** The service refuses the message, for good. */
  | { readonly do: 'reject'; readonly error: string }
  | {
      readonly do: 'retry';
      readonly error: string;
      /** The service asked for this wait; 0 where it did not. */
      readonly afterMs: number;
      /** The service does not accept the credential. */
      readonly isUnauthorized: boolean;
      /** The service does not know the registration. */
      readonly isUnregistered: boolean;
    };

const ERROR_CHARS = 500;
const RETRY_AFTER_MAX_MS = 3_600_000;
const MS_PER_SECOND = 1_000;
const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);
const UNAUTHORIZED: ReadonlySet<number> = new Set([401, 403]);

/** An error text that is kept: one line of at most 500 characters, whatever the service sent. */
export const keptError = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').trim().slice(0, ERROR_CHARS).toWellFormed();

/** What an answer means. A service that answers neither yes nor no is asked again: it knows the id of the delivery. */
export const judgeAnswer = (answer: DeliveryAnswer, now: number): Verdict => {
  if ('failed' in answer) return retry(answer.failed);
  const { status, body = {} } = answer;
  const isOk = status >= 200 && status < 300;
  const { accepted } = body;
  const disposition = textOrEmpty(body['disposition']);
  const error = keptError(textOrEmpty(body['error']));
  if (isOk && (accepted === true || (accepted === undefined && disposition === 'accepted'))) return { do: 'delivered' };
  if (disposition === 'duplicate') return { do: 'delivered' };
  const afterMs = retryAfterMs(answer.retryAfter, now);
  if (disposition === 'unregistered')
    return { ...retry(error || 'the service does not know the registration'), afterMs, isUnregistered: true };
  if (disposition === 'rejected' || (isOk && accepted === false))
    return { do: 'reject', error: error || 'REJECTED: the service refused the message' };
  const why = error === '' ? `HTTP_${status}` : `HTTP_${status}: ${error}`;
  if (UNAUTHORIZED.has(status)) return { ...retry(why), afterMs, isUnauthorized: true };
  if (isOk)
    return { ...retry('the answer says neither that the message was accepted nor that it was refused'), afterMs };
  if (BUSY.has(status) || status >= 500 || status < 200) return { ...retry(why), afterMs };
  return { do: 'reject', error: why };
};

const retry = (error: string) =>
  ({ do: 'retry', error: keptError(error), afterMs: 0, isUnauthorized: false, isUnregistered: false }) as const;

/** Whole milliseconds that Retry-After (RFC 9110: seconds or a date) asks for, at most an hour; 0 for none or one that cannot be read. */
export const retryAfterMs = (header: string, now: number): number => {
  const isSeconds = /^\d{1,9}$/.test(header.trim());
  const waitMs = isSeconds ? Number(header) * MS_PER_SECOND : Math.ceil(Date.parse(header) - now / 1_000);
  return Number.isNaN(waitMs) ? 0 : Math.min(Math.max(0, waitMs), RETRY_AFTER_MAX_MS);
};
