import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Fault, invalidField } from '../../base/index.ts';
import { allowList, isAllowedAddress } from './address-rules.ts';

/** Redirects followed by one fetch; each target is checked anew (RT-R49). */
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 20_000;

export interface GuardedFetchOptions {
  /** `net.allow`: names, addresses or CIDR ranges. */
  readonly allow: readonly string[];
  /** Resolves a name to its addresses; injected for tests. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const refuse = (why: string): Fault => invalidField('url', why);

const systemResolve = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true })).map((entry) => entry.address);

/**
 * Fetches bodies for a namespace under RT-R49: names are resolved here, the checked address is the one connected to, and
 * every redirect is checked like the first address.
 */
export class GuardedFetch {
  readonly #names: ReadonlySet<string>;
  readonly #allow: ReturnType<typeof allowList>;
  readonly #resolve: NonNullable<GuardedFetchOptions['resolve']>;

  constructor(options: GuardedFetchOptions) {
    this.#names = new Set(options.allow.filter((entry) => isIP(entry.split('/')[0] ?? '') === 0));
    this.#allow = allowList(options.allow);
    this.#resolve = options.resolve ?? systemResolve;
  }

  /** Body of an https address, at most `limitBytes`; Fault INVALID_ARGUMENT names what was refused. */
  async fetch(
    _namespace: string,
    url: string,
    options: { readonly limitBytes: number; readonly signal: AbortSignal },
  ): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string }> {
    let target = this.#parse(url);
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const address = await this.#checkedAddress(target);
      const answer = await this.#get(target, address, options);
      if (answer.location === undefined) return answer;
      target = this.#parse(new URL(answer.location, target).href);
    }
    throw refuse(`more than ${MAX_REDIRECTS} redirects`);
  }

  #parse(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (
      url === undefined ||
      (url.protocol !== 'https:' && !(url.protocol === 'http:' && this.#names.has(url.hostname)))
    )
      throw refuse('must be an https address');
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
      throw new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', 'url: the host has no address', { cause: error });
    }
  }

  async #get(
    url: URL,
    address: string,
    options: { readonly limitBytes: number; readonly signal: AbortSignal },
  ): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string; readonly location?: string }> {
    const { Agent, request } = await import('undici');
    const family = isIP(address) === 6 ? 6 : 4;
    const agent = new Agent({
      connect: {
        lookup: (_host, { all }, done) =>
          all === true ? done(null, [{ address, family }]) : done(null, address, family),
      },
    });
    try {
      const answer = await request(url, {
        dispatcher: agent,
        signal: AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const location = answer.headers['location'];
      if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string')
        return { bytes: new Uint8Array(), mediaType: '', location };
      if (answer.statusCode !== 200) throw refuse(`the host answered ${answer.statusCode}`);
      const type = answer.headers['content-type'];
      return {
        bytes: await readLimited(answer.body, options.limitBytes),
        mediaType: typeof type === 'string' ? (type.split(';')[0] ?? '').trim() : '',
      };
    } finally {
      await agent.destroy();
    }
  }
}

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
