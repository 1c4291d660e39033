import { type Clock, isFault, type Log } from '../base/index.ts';
import type { Store } from '../store/contracts/index.ts';
import type { AuditAppender } from './audit-log.ts';
import type { Authenticator, Caller, CredentialCarrier } from './contract.ts';
import { authenticateOr } from './failed-sign-in.ts';

/** Operation under which the audit log shows failed sign-ins. */
export const SIGN_IN_OPERATION = 'sign-in';

/** Records of failed sign-ins in a minute; more are only counted, so that guessing cannot fill the disk. */
const RECORDS_PER_MINUTE = 60;
const WINDOW_MS = 60_000;
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

interface SignInAuditDeps {
  readonly store: Pick<Store, 'write'>;
  readonly audit: AuditAppender;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Writes failed sign-ins to the audit log: the kind of credential and the reason, never the credential. A call without a
 * credential is not an attempt. No caller waits for the record; if it is lost, that is logged.
 */
export class AuditedAuthenticator implements Authenticator {
  readonly #inner: Authenticator;
  readonly #deps: SignInAuditDeps;
  #windowMs = Number.NEGATIVE_INFINITY;
  #records = 0;
  #uncounted = 0;

  constructor(inner: Authenticator, deps: SignInAuditDeps) {
    this.#inner = inner;
    this.#deps = deps;
  }

  authenticate(carrier: CredentialCarrier): Caller | Promise<Caller> {
    return authenticateOr(this.#inner, carrier, (error) => this.#refuse(error, carrier));
  }

  #refuse(error: unknown, carrier: CredentialCarrier): never {
    if (isFault(error) && error.reason !== 'CREDENTIALS_MISSING') this.#note(error.reason, carrier);
    throw error;
  }

  #note(reason: string, carrier: CredentialCarrier): void {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#windowMs >= WINDOW_MS) {
      this.#windowMs = nowMs;
      this.#records = 0;
    }
    if (this.#records >= RECORDS_PER_MINUTE) {
      this.#uncounted += 1;
      return;
    }
    this.#records += 1;
    const skipped = this.#uncounted;
    this.#uncounted = 0;
    const requestId = carrier.header('x-request-id') ?? '';
    const outcomes = skipped === 0 ? [reason] : [`${skipped} more, not recorded one by one`, reason];
    this.#write({ requestId: REQUEST_ID.test(requestId) ? requestId : '', kind: kindOf(carrier), outcomes });
  }

  #write(fact: { readonly requestId: string; readonly kind: string; readonly outcomes: readonly string[] }): void {
    const { store, audit, log } = this.#deps;
    const origin = {
      requestId: fact.requestId,
      operation: SIGN_IN_OPERATION,
      caller: { identity: 'anonymous' },
    };
    store
      .write(async (tx) => {
        for (const outcome of fact.outcomes)
          await audit(tx, origin, { target: `Credential/${fact.kind}`, namespace: '', resourceVersion: '', outcome });
      })
      .catch((error: unknown) => log.warn('recording a failed sign-in failed', { reason: String(error) }));
  }
}

/** The scheme alone; a header that consists of a secret has none. */
const kindOf = (carrier: CredentialCarrier): string => {
  const header = carrier.header('authorization');
  if (header === undefined) return 'x-api-key';
  const scheme = header.trim().split(' ', 1)[0]?.toLowerCase();
  return scheme === 'bearer' || scheme === 'basic' ? scheme : 'other';
};
