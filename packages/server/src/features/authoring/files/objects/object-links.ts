import { createHmac, timingSafeEqual } from 'node:crypto';
import { assert, type Clock, Fault, type Log, type Random } from '../../../../base/index.ts';
import type { HttpExchange, HttpRoute } from '../../../../operations/index.ts';
import { isSealed, type ValueSeal } from '../../../../resources/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import type { BlobStore, Store } from '../../../../store/contracts/index.ts';
import { sendObject } from './send-object.ts';

/** How long a link works. */
const LINK_SECONDS = 300;
const KEY_BYTES = 32;
const KEY_NAME = 'object-link-key';
/** What the sealed key is bound to. */
const PLACE = 'instance/object-link-key';
/** Where the sealed key is, for the rotation of keys, which seals everything again. */
export const SEALED_LINK_KEY = { name: KEY_NAME, place: PLACE } as const;

interface LinkKeyDeps {
  readonly store: Pick<Store, 'write'>;
  readonly random: Pick<Random, 'fill'>;
  readonly seal: ValueSeal;
  readonly log: Pick<Log, 'warn'>;
}

interface LinkFacts {
  readonly sha256: string;
  readonly type: string;
  readonly name: string;
  /** Unix seconds. */
  readonly exp: number;
}

/**
 * Key of this instance for signed transfers: made once and kept in the store, sealed, so that links work across restarts and nodes. A
 * key that a release before stored unsealed is sealed and stays. One that cannot be opened, because the keys of secrets were lost, is
 * replaced: links that were handed out before end early.
 */
const linkKey = ({ store, random, seal, log }: LinkKeyDeps): Promise<Uint8Array> =>
  store.write(async (tx) => {
    const stored = await tx.instance.value(KEY_NAME);
    const known = stored === undefined || !isSealed(stored) ? stored : seal.open(PLACE, stored);
    if (stored !== undefined && known === undefined)
      tx.afterCommit(() =>
        log.warn('the key that signs links to objects could not be opened: another one signs from now on'),
      );
    const key = known ?? Buffer.from(random.fill(new Uint8Array(KEY_BYTES))).toString('base64');
    if (stored === undefined || key !== known || !isSealed(stored) || !seal.isNewest(stored))
      await tx.instance.setValue(KEY_NAME, seal.seal(PLACE, key));
    return Buffer.from(key, 'base64');
  });

/** The same key from the start of the process on, which opens it. */
export class LinkKey {
  readonly #deps: LinkKeyDeps;
  #bytes: Uint8Array | undefined;

  constructor(deps: LinkKeyDeps) {
    this.#deps = deps;
  }

  async open(): Promise<void> {
    this.#bytes = await linkKey(this.#deps);
  }

  get bytes(): Uint8Array {
    assert(this.#bytes !== undefined, 'the key of links is opened before the first link');
    return this.#bytes;
  }
}

const notALink = (): Fault =>
  new Fault('NOT_FOUND', 'OBJECT_NOT_FOUND', 'no such object, or the link is no longer valid');

/** Short-lived links to object bytes: signed, bound to one object, the only credential of their route. */
export class ObjectLinks {
  readonly #key: Pick<LinkKey, 'bytes'>;
  readonly #clock: Clock;
  readonly #blobs: BlobStore;

  constructor(deps: { readonly key: Pick<LinkKey, 'bytes'>; readonly clock: Clock; readonly blobs: BlobStore }) {
    this.#key = deps.key;
    this.#clock = deps.clock;
    this.#blobs = deps.blobs;
  }

  /** Path of the gateway that serves the bytes for five minutes. */
  link(_namespace: string, object: ObjectData): string {
    return this.grant(object).path;
  }

  /** The same path, and until when it works in micros. */
  grant(object: ObjectData): { readonly path: string; readonly expiresAt: number } {
    const exp = Math.floor(this.#clock.nowMicros() / 1_000_000) + LINK_SECONDS;
    const facts: LinkFacts = { sha256: object.sha256, type: object.mediaType, name: object.filename, exp };
    const payload = Buffer.from(JSON.stringify(facts)).toString('base64url');
    return { path: `/v1/objects/${payload}.${this.#sign(payload)}`, expiresAt: exp * 1_000_000 };
  }

  /** The route behind the links. */
  route(): HttpRoute {
    return {
      method: 'GET',
      pattern: '/v1/objects/{token}',
      authenticated: false,
      handle: (exchange, params, { signal }) => this.#serve(exchange, params['token'] ?? '', signal),
    };
  }

  async #serve(exchange: HttpExchange, token: string, signal: AbortSignal): Promise<void> {
    const { sha256, type: mediaType, name: filename } = this.#facts(token);
    const stat = await this.#blobs.stat(sha256);
    if (stat === undefined) throw notALink();
    await sendObject(this.#blobs, exchange, { sha256, mediaType, filename, sizeBytes: stat.sizeBytes, signal });
  }

  #facts(token: string): LinkFacts {
    const [payload = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#sign(payload));
    const given = Buffer.from(signature);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) throw notALink();
    const facts = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as LinkFacts;
    if (facts.exp * 1_000_000 < this.#clock.nowMicros()) throw notALink();
    return facts;
  }

  #sign(payload: string): string {
    return createHmac('sha256', this.#key.bytes).update(`GET\n${payload}`).digest('base64url');
  }
}
