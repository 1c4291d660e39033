import type { Clock, Log } from '../../base/index.ts';
import { clientNetwork } from '../../base/network/index.ts';
import { TokenBucket } from './token-bucket.ts';

export interface ConnectionLimitsParts {
  /** Connections of all callers together. */
  readonly connections: number;
  /** Untrusted connections of one address. */
  readonly connectionsPerAddress: number;
  /** False where an address says nothing: everyone is let in without a credential, or all connections come from a proxy. */
  readonly countsAddresses: boolean;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Pick<Log, 'warn'>;
}

/** One accepted connection. It is trusted from its first request with a valid credential on. */
export interface Connection {
  readonly address: string;
  isTrusted: boolean;
}

interface AddressRecord {
  /** Open connections that are not trusted. */
  untrusted: number;
  /** When one of its connections was last cut off for asking too much. */
  cutMs: number;
  /** New connections while that is recent. */
  readonly newcomers: TokenBucket;
}

/** For so long after a connection was cut off, its address gets new ones slowly. */
const CALM_MS = 10_000;
const CALM_RATE = { burst: 10, perSecond: 10 };
/** Refusals are logged at most so often, with their number. */
const LOG_MS = 10_000;
/** Addresses kept before those that are no longer needed are removed. */
const SWEEP_ABOVE = 1024;
const NEVER = Number.NEGATIVE_INFINITY;

/**
 * Decides which new connections are let in: below a number for all, so that the process keeps descriptors for its own files
 * and requests, and below a number for each address while they have shown no valid credential.
 */
export class ConnectionLimits {
  readonly #parts: ConnectionLimitsParts;
  readonly #addresses = new Map<string, AddressRecord>();
  #open = 0;
  #sweepAbove = SWEEP_ABOVE;
  #refused = 0;
  #loggedMs = NEVER;

  constructor(parts: ConnectionLimitsParts) {
    this.#parts = parts;
  }

  get open(): number {
    return this.#open;
  }

  /** Counts a new connection; undefined when it must be refused. Each one let in must be released once. */
  admit(remoteAddress: string): Connection | undefined {
    const { connections, countsAddresses } = this.#parts;
    if (this.#open >= connections) return this.#refuse('limits.connections');
    if (!countsAddresses) {
      this.#open += 1;
      return { address: '', isTrusted: true };
    }
    const address = clientNetwork(remoteAddress);
    const record = this.#recordOf(address);
    const refusal = this.#refusalOf(record);
    if (refusal !== undefined) return this.#refuse(refusal);
    this.#open += 1;
    record.untrusted += 1;
    return { address, isTrusted: false };
  }

  /** The connection showed a valid credential: it no longer counts for its address. */
  trust(connection: Connection): void {
    if (connection.isTrusted) return;
    connection.isTrusted = true;
    this.#dropUntrusted(connection.address);
  }

  /** The connection asked for too much and is ended: its address gets new ones slowly for a while. */
  noteCut({ address }: Connection): void {
    const record = this.#addresses.get(address);
    if (record !== undefined) record.cutMs = this.#parts.clock.monotonicMs();
  }

  /** The connection is gone. */
  release(connection: Connection): void {
    this.#open -= 1;
    if (!connection.isTrusted) this.#dropUntrusted(connection.address);
  }

  #refusalOf(record: AddressRecord): string | undefined {
    if (record.untrusted >= this.#parts.connectionsPerAddress) return 'limits.connectionsPerAddress';
    const nowMs = this.#parts.clock.monotonicMs();
    return nowMs - record.cutMs < CALM_MS && !record.newcomers.take(nowMs) ? 'rate after a flood' : undefined;
  }

  #refuse(limit: string): undefined {
    this.#refused += 1;
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs - this.#loggedMs < LOG_MS) return;
    this.#parts.log.warn('connections are refused', { limit, refused: this.#refused, open: this.#open });
    this.#loggedMs = nowMs;
    this.#refused = 0;
  }

  #recordOf(address: string): AddressRecord {
    const known = this.#addresses.get(address);
    if (known !== undefined) return known;
    if (this.#addresses.size >= this.#sweepAbove) this.#sweep();
    const nowMs = this.#parts.clock.monotonicMs();
    const record = { untrusted: 0, cutMs: NEVER, newcomers: new TokenBucket(CALM_RATE, nowMs) };
    this.#addresses.set(address, record);
    return record;
  }

  #dropUntrusted(address: string): void {
    const record = this.#addresses.get(address);
    if (record === undefined) return;
    record.untrusted -= 1;
    if (this.#isIdle(record)) this.#addresses.delete(address);
  }

  #isIdle({ untrusted, cutMs }: AddressRecord): boolean {
    return untrusted === 0 && this.#parts.clock.monotonicMs() - cutMs >= CALM_MS;
  }

  #sweep(): void {
    for (const [address, record] of this.#addresses) if (this.#isIdle(record)) this.#addresses.delete(address);
    this.#sweepAbove = Math.max(SWEEP_ABOVE, this.#addresses.size * 2);
  }
}
