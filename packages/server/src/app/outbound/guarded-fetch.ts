import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Fault, invalidField } from '../../base/index.ts';
import { parseNetwork } from '../../base/network/index.ts';
import { allowList, isAllowedAddress } from './address-rules.ts';

/** Redirects followed by one fetch; each target is checked again. */
const MAX_REDIRECTS = 5;
/** Time for one fetch with its redirects and its whole body. */
const TIMEOUT_MS = 20_000;

interface GuardedFetchOptions {
  /** `net.allow`: names, addresses or CIDR ranges. */
  readonly allow: readonly string[];
  /** Resolves a name to its addresses; injected for tests. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Aborts after this time; injected for tests. */
  readonly timeout?: (ms: number) => AbortSignal;
}

interface FetchOptions {
  readonly limitBytes: number;
  readonly signal: AbortSignal;
  /** Plain http is accepted as well; the same addresses are refused. */
  readonly acceptsHttp?: boolean;
}

/** A body and what its server says of it; `url` is where the last redirect led. */
interface FetchedBody {
  readonly bytes: Uint8Array;
  /** Without parameters. */
  readonly mediaType: string;
  readonly contentType: string;
  readonly url: string;
}

/** What the caller may know about a failed connection: its code, such as ECONNREFUSED or CERT_HAS_EXPIRED. */
const failureCode = (error: unknown): string => {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return String(code ?? name);
};

const refuse = (why: string): Fault => invalidField('url', why);

const systemResolve = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true })).map((entry) => entry.address);

/**
 * Fetches bodies from URLs that users of a namespace named, without reaching this machine or its private network: names are
 * resolved here, the checked address is the one connected to, and every redirect is checked like the first address.
 */
export class GuardedFetch {
  readonly #names: ReadonlySet<string>;
  readonly #allow: ReturnType<typeof allowList>;
  readonly #resolve: NonNullable<GuardedFetchOptions['resolve']>;
  readonly #timeout: NonNullable<GuardedFetchOptions['timeout']>;

  constructor(options: GuardedFetchOptions) {
    this.#names = new Set(options.allow.filter((entry) => parseNetwork(entry) === undefined));
    this.#allow = allowList(options.allow);
    this.#resolve = options.resolve ?? systemResolve;
    this.#timeout = options.timeout ?? ((ms) => AbortSignal.timeout(ms));
  }

  /**
   * Body of an https address, at most `limitBytes`. INVALID_ARGUMENT says what was refused, which host failed and how, or that it
   * took longer than 20 s. Rejects with the reason of `signal` once the caller has aborted it.
   */
  async fetch(_namespace: string, url: string, options: FetchOptions): Promise<FetchedBody> {
    const late = this.#timeout(TIMEOUT_MS);
    const signal = AbortSignal.any([options.signal, late]);
    let target = this.#parse(url, options);
    try {
      for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
        const address = await abortable(this.#checkedAddress(target), signal);
        const answer = await this.#get(target, address, { ...options, signal });
        if (answer.location === undefined) return { ...answer, url: target.href };
        target = this.#parse(redirectTarget(answer.location, target), options);
      }
    } catch (error) {
      if (options.signal.aborted) throw options.signal.reason;
      if (late.aborted) throw refuse(`${target.host} did not answer in full within ${TIMEOUT_MS / 1_000} s`);
      if (error instanceof Fault) throw error;
      const description = `${target.host} could not be read: ${failureCode(error)}`;
      throw new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', `url: ${description}`, {
        violations: [{ field: 'url', description, reason: 'FIELD_INVALID' }],
        cause: error,
      });
    }
    throw refuse(`more than ${MAX_REDIRECTS} redirects`);
  }

  #parse(text: string, { acceptsHttp = false }: FetchOptions): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const mayBeHttp = url?.protocol === 'http:' && (acceptsHttp || this.#names.has(url.hostname));
    if (url === undefined || (url.protocol !== 'https:' && !mayBeHttp))
      throw refuse(`must be an ${acceptsHttp ? 'http or ' : ''}https address`);
    if (url.username !== '' || url.password !== '') throw refuse('must not carry credentials');
    return url;
  }

  async #checkedAddress(url: URL): Promise<string> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) === 0 ? await this.#lookup(host) : [host];
    const named = this.#names.has(host);
    const address = addresses.find((entry) => named || isAllowedAddress(entry, this.#allow));
    if (address === undefined) throw refuse('the host is not a public address');
    return address;
  }

  async #lookup(host: string): Promise<readonly string[]> {
    try {
      return await this.#resolve(host);
    } catch (error) {
      throw new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', 'url: the host has no address', {
        violations: [{ field: 'url', description: 'the host has no address', reason: 'FIELD_INVALID' }],
        cause: error,
      });
    }
  }

  async #get(
    url: URL,
    address: string,
    options: FetchOptions,
  ): Promise<Omit<FetchedBody, 'url'> & { readonly location?: string }> {
    const { Agent, request } = await import('undici');
    const family = isIP(address) === 6 ? 6 : 4;
    const agent = new Agent({
      connect: {
        lookup: (_host, { all }, done) =>
          all === true ? done(null, [{ address, family }]) : done(null, address, family),
      },
    });
    try {
      const answer = await request(url, { dispatcher: agent, signal: options.signal });
      const location = answer.headers['location'];
      if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string')
        return { bytes: new Uint8Array(), mediaType: '', contentType: '', location };
      if (answer.statusCode !== 200) throw refuse(`the host answered ${answer.statusCode}`);
      const { 'content-type': type } = answer.headers;
      const contentType = typeof type === 'string' ? type : '';
      return {
        bytes: await readLimited(answer.body, options.limitBytes),
        mediaType: (contentType.split(';')[0] ?? '').trim(),
        contentType,
      };
    } finally {
      await agent.destroy();
    }
  }
}

/** The result of work that does not know the signal, such as a name lookup; rejects as soon as the signal aborts. */
const abortable = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

/** The target of a redirect; one that cannot be parsed as an address is refused like any other. */
const redirectTarget = (location: string, from: URL): string =>
  URL.canParse(location, from.href) ? new URL(location, from).href : location;

const readLimited = async (body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limitBytes) throw refuse(`larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
