import type { BackoffRule } from '../../../../base/index.ts';

/** What of registrations is judged without a store or a network: what an answer of a service means. */

/** Waits between attempts, for ever. */
export const REGISTRATION_BACKOFF: BackoffRule = { firstMs: 1_000, factor: 2, capMs: 300_000, jitter: 0.2 };
/** The longest text of an error that a condition shows, in characters. */
const ERROR_CHARS = 500;

/** Why an attempt to register failed, as conditions say it. */
export type FailureReason =
  | 'CredentialUnavailable'
  | 'EndpointUnreachable'
  | 'RegistrationRefused'
  | 'EchoMismatch'
  | 'Timeout';

/** How an attempt ended. */
export type AttemptOutcome = { readonly isRegistered: true } | FailedAttempt;

export interface FailedAttempt {
  readonly isRegistered: false;
  readonly reason: FailureReason;
  readonly message: string;
  /** The service cannot have taken the secret; false where that is not known. */
  readonly isCertain: boolean;
}

/** A failed attempt. */
export const failedAttempt = (reason: FailureReason, message: string, isCertain: boolean): FailedAttempt => ({
  isRegistered: false,
  reason,
  message: message.slice(0, ERROR_CHARS).toWellFormed(),
  isCertain,
});

/** What an answer means: any 2xx registers, unless its JSON repeats another id than the one that was sent. */
export const judgeAnswer = (registrationId: string, status: number, body: string): AttemptOutcome => {
  if (status < 200 || status > 299)
    return failedAttempt('RegistrationRefused', `the service answered HTTP ${status}`, status < 500);
  const echo = echoedId(body);
  if (echo === '' || echo === registrationId) return { isRegistered: true };
  return failedAttempt('EchoMismatch', 'the service answered with the id of another registration', true);
};

/** The id that the answer repeats; '' where it repeats none. */
const echoedId = (body: string): string => {
  try {
    const { registrationId, registration_id: other } = JSON.parse(body) as Readonly<Record<string, unknown>>;
    const echo = registrationId ?? other;
    return typeof echo === 'string' ? echo.trim() : '';
  } catch {
    return '';
  }
};
