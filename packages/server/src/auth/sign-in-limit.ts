import { BoundedCache, type Clock, Fault, isFault } from '../base/index.ts';
import { clientNetwork } from '../base/network/index.ts';
import type { Authenticator, Caller, CredentialCarrier } from './contract.ts';
import { authenticateOr } from './failed-sign-in.ts';

interface SignInLimitOptions {
  /** `auth.failureLimit`: failed sign-ins of one address in a minute that are answered at once; at least 1. */
  readonly failures: number;
  /** True when a proxy in front names the client's address in `x-forwarded-for`. */
  readonly trustProxy: boolean;
  readonly clock: Clock;
}

const WINDOW_MS = 60_000;
const DELAY_MS = 1_000;
/** Addresses that are remembered; the one whose last failure is oldest is forgotten first. */
const ADDRESSES = 10_000;
/** Answers that are delayed at one time, for all addresses; further ones are refused at once. */
const DELAYED_MAX = 1_000;

interface Failures {
  /** Monotonic milliseconds at which the count restarts. */
  endsMs: number;
  count: number;
}

/**
 * Slows down an address that guesses credentials: up to `failures` wrong ones in a minute are answered at once, as many again after
 * a second each, and further ones are refused with RESOURCE_EXHAUSTED until a minute has passed without being counted. Every credential
 * is still checked and a valid one passes at once, so guessing from behind a shared address locks no one out.
 */
export class LimitedAuthenticator implements Authenticator {
  readonly #inner: Authenticator;
  readonly #options: SignInLimitOptions;
  readonly #failures = new BoundedCache<string, Failures>(ADDRESSES);
  #delayed = 0;

  constructor(inner: Authenticator, options: SignInLimitOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  authenticate(carrier: CredentialCarrier): Caller | Promise<Caller> {
    return authenticateOr(this.#inner, carrier, (error) => this.#refuse(error, carrier));
  }

  /** Only credentials that are wrong count: an expired or revoked one was valid, so it is not a guess. */
  #refuse(error: unknown, carrier: CredentialCarrier): Promise<Caller> {
    if (!isFault(error) || error.reason !== 'CREDENTIALS_INVALID') throw error;
    const { clock, failures } = this.#options;
    const known = this.#count(clientOf(carrier, this.#options.trustProxy), clock.monotonicMs());
    if (known.count <= failures) throw error;
    if (known.count > 2 * failures || this.#delayed >= DELAYED_MAX) throw tooManyFailures(known, clock.monotonicMs());
    this.#delayed += 1;
    return new Promise((_, reject) => {
      clock.after(DELAY_MS, () => {
        this.#delayed -= 1;
        reject(error);
      });
    });
  }

  #count(address: string, nowMs: number): Failures {
    const known = this.#failures.get(address);
    if (known === undefined || known.endsMs <= nowMs) {
      const fresh = { endsMs: nowMs + WINDOW_MS, count: 1 };
      this.#failures.set(address, fresh);
      return fresh;
    }
    known.count += 1;
    // The refusal lasts a minute from the first refused attempt.
    if (known.count === 2 * this.#options.failures + 1) known.endsMs = nowMs + WINDOW_MS;
    return known;
  }
}

const tooManyFailures = ({ endsMs }: Failures, nowMs: number): Fault =>
  new Fault(
    'RESOURCE_EXHAUSTED',
    'SIGN_IN_LIMIT',
    `too many failed sign-ins from this address; check the credential and try again in ${Math.ceil((endsMs - nowMs) / 1000)} s`,
    { retryAfterMs: endsMs - nowMs },
  );

/** The key by which failures are counted; '' when the client's address is not known. */
const clientOf = (carrier: CredentialCarrier, trustProxy: boolean): string => {
  const forwarded = trustProxy ? carrier.header('x-forwarded-for') : undefined;
  // Each proxy appends the address it saw: only the last one was written by the trusted proxy.
  const address = forwarded?.split(',').at(-1)?.trim() || (carrier.peerAddress ?? '');
  return clientNetwork(address);
};
