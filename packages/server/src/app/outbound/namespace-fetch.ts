import { type LookupAddress, lookup } from 'node:dns';
import { isIP } from 'node:net';
import { Fault } from '../../base/index.ts';
import { isLoopbackAddress, parseNetwork } from '../../base/network/index.ts';
import { allowList, isAllowedAddress } from './address-rules.ts';

interface NamespaceFetchOptions {
  /** `net.allow`: names, addresses or CIDR ranges. */
  readonly allow: readonly string[];
  /** The gateway itself listens on loopback only: servers of the same machine may be reached. */
  readonly isLocal: boolean;
  /** Time for a connection; absent = 10 s. */
  readonly connectMs?: number;
  /** Resolves a name to its addresses; injected for tests. */
  readonly resolve?: typeof lookup;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Time for a connection. */
const CONNECT_MS = 10_000;
/** Time until the headers of an answer are there: the longest call of a tool and a little more. */
const HEADERS_MS = 620_000;

/**
 * `fetch` for addresses that users of a namespace named, with method, headers, body and a streamed answer. The name is resolved
 * where the connection is made, so the checked address is the one connected to. Redirects are not followed: the caller gets the
 * answer with its `location`, and each further request is checked like the first. Connections are kept for further requests.
 */
export class NamespaceFetch {
  readonly #names: ReadonlySet<string>;
  readonly #options: NamespaceFetchOptions;
  readonly #allow: ReturnType<typeof allowList>;
  #agent: Promise<import('undici').Agent> | undefined;

  constructor(options: NamespaceFetchOptions) {
    this.#options = options;
    this.#names = new Set(options.allow.filter((entry) => parseNetwork(entry) === undefined));
    this.#allow = allowList(options.allow);
  }

  /** Rejects like `fetch`; the cause of an address that is not allowed is a Fault PERMISSION_DENIED ADDRESS_REFUSED. */
  readonly fetch: Fetch = async (url, init = {}) => {
    const { fetch } = await import('undici');
    if (!this.mayReach(url)) throw refusal(hostOf(url));
    this.#agent ??= this.#open();
    const request = { ...init, redirect: 'manual', dispatcher: await this.#agent } as import('undici').RequestInit;
    return (await fetch(url, request)) as unknown as Response;
  };

  /** False for an address of digits that may not be reached; what a name leads to is known when it is connected to. */
  mayReach(url: string | URL): boolean {
    const host = hostOf(url);
    return isIP(host) === 0 || this.#isAllowed(host, host);
  }

  #isAllowed(host: string, address: string): boolean {
    if (this.#names.has(host) || isAllowedAddress(address, this.#allow)) return true;
    return this.#options.isLocal && isLoopbackAddress(address);
  }

  async #open(): Promise<import('undici').Agent> {
    const { Agent } = await import('undici');
    const resolve = this.#options.resolve ?? lookup;
    return new Agent({
      headersTimeout: HEADERS_MS,
      bodyTimeout: 0,
      connect: {
        timeout: this.#options.connectMs ?? CONNECT_MS,
        lookup: (host, { all }, done) =>
          resolve(host, { all: true }, (error, found) => {
            if (error !== null) return done(error, '');
            const first = found.find(({ address }) => this.#isAllowed(host, address));
            if (first === undefined) return done(refusal(host), '');
            return answer(first, all === true, done);
          }),
      },
    });
  }
}

const hostOf = (url: string | URL): string => new URL(url).hostname.replace(/^\[|\]$/g, '');

type Done = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

const answer = (found: LookupAddress, isList: boolean, done: Done): void =>
  isList ? done(null, [found]) : done(null, found.address, found.family);

const refusal = (host: string): Fault =>
  new Fault('PERMISSION_DENIED', 'ADDRESS_REFUSED', `${host} is not a public address, and net.allow does not list it`);
