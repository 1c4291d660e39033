import type { ResourceChangedEvent } from '@svc/api/events';
import type { WatchResourcesRequest } from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { type CancelTimer, invalidField } from '../../../base/index.ts';
import type { StreamSink } from '../../../operations/index.ts';
import { parseLabelSelector } from '../../../resources/index.ts';
import type { ResourceChange, ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import {
  deliverInPace,
  Follow,
  type FollowTarget,
  FormingSink,
  Reader,
  type ReaderMember,
} from '../../../streams/index.ts';
import type { ManifestsDeps } from './manifests-deps.ts';
import { requireKind } from './resource-address.ts';
import { bookmark, type ChangeEvents } from './resource-events.ts';
import { listScope, requireScope } from './resource-scope.ts';
import { isSecret, secretTarget } from './resource-shown.ts';
import { BATCH, isBookmark, isChange, requireKept, type WatchEvent, WatchFeed } from './watch-feed.ts';
import { WatchFilter } from './watch-filter.ts';

/** What a reader prefers that wants a bookmark when it has everything up to the start of its watch, not at the next quiet time. */
const BOOKMARK_AT_START = 'svc-bookmark';

const QUIET_MS = 30_000;

export interface WatchCall {
  readonly request: WatchResourcesRequest;
  readonly context: CallContext;
  readonly sink: StreamSink<ResourceChangedEvent>;
}

/**
 * One WatchResources stream: what is there or what was missed, from the store; then live from the process's change
 * feed, which it joined before it read. What it does not show is left out before it waits for a slow reader.
 */
export class ResourceWatch implements FollowTarget<ResourceChange>, ReaderMember {
  readonly #deps: ManifestsDeps & { readonly events: ChangeEvents };
  readonly #call: WatchCall;
  readonly #filter: WatchFilter;
  readonly #feed: WatchFeed;
  readonly #reader: Reader<WatchEvent>;
  readonly #follow: Follow<ResourceChange>;
  #isLive = false;
  /** True when the watched namespace itself went; it may have come back since. */
  #lostNamespace = false;
  /** Version up to which a reader that prefers so is waiting to have everything. */
  #awaited: number | undefined;
  #stopListening: () => void = () => undefined;
  #quietTimer: CancelTimer = () => undefined;
  /** Monotonic milliseconds. */
  #sentMs = 0;

  constructor(deps: ManifestsDeps & { readonly events: ChangeEvents }, call: WatchCall) {
    this.#deps = deps;
    this.#call = call;
    const { ns, recursive, kinds, labelSelector, resourceVersion } = call.request;
    this.#reader = new Reader(new FormingSink(call.sink, (event) => this.#form(event)), deps.streamLimits);
    const ancestry = deps.namespaces.pastAncestry(() => this.#reader.ended);
    this.#filter = new WatchFilter(
      {
        ns,
        recursive,
        kinds: new Set(kinds),
        labels: parseLabelSelector(labelSelector),
        ancestorsAt: (namespace, version) => ancestry.ancestorsAt(namespace, version),
      },
      resourceVersion === '',
    );
    this.#feed = new WatchFeed({ store: deps.store, ancestry, isRecursive: recursive });
    this.#follow = new Follow<ResourceChange>(this.#feed, this);
  }

  run(): Promise<void> {
    return this.#reader.run(this.#call.context.signal, () => this.#begin());
  }

  get place(): string {
    return this.#feed.cursor(this.#follow.position);
  }

  deliver(change: ResourceChange): void {
    const { kind, name } = change.resource.key;
    if (change.change === 'deleted' && kind === 'Namespace' && name === this.#call.request.ns)
      this.#lostNamespace = true;
    const as = this.#filter.judge(change);
    if (as !== undefined) this.#send(as === change.change ? change : { ...change, change: as });
  }

  ready(): Promise<void> | undefined {
    return this.#reader.ready();
  }

  together(work: () => void): void {
    this.#reader.together(work);
  }

  fail(error: unknown): void {
    this.#reader.end(error);
  }

  joined(): void {
    this.#isLive = true;
    this.#sentMs = this.#deps.clock.monotonicMs();
    this.#armQuiet();
    this.#judged();
  }

  leave(): void {
    this.#follow.stop();
    this.#stopListening();
    this.#quietTimer();
  }

  async #begin(): Promise<void> {
    const { direct } = this.#deps.store;
    const { request, sink } = this.#call;
    const from = parseVersion(request.resourceVersion);
    await requireScope(direct, request.ns);
    for (const [index, kind] of request.kinds.entries()) await requireKind(direct, kind, `kinds[${index}]`);
    const subscription = this.#deps.feed.subscribe((changes) => this.#receive(changes));
    this.#stopListening = () => subscription.stop();
    this.#reader.adopt(this);
    if (from !== undefined) await this.#requireKept(from);
    if (this.#reader.ended) return;
    sink.open();
    const start = from ?? (await this.#present());
    // What is there was read after the feed was joined, so all that came since is on its way.
    if (!this.#reader.ended) this.#follow.start(start, from === undefined || start >= subscription.after);
  }

  #receive(changes: readonly ResourceChange[]): void {
    const receiveAll = (): void => {
      for (const change of changes) this.#follow.receive(change);
    };
    if (!this.#isLive) return receiveAll();
    this.#reader.together(receiveAll);
    this.#judged();
  }

  async #requireKept(from: number): Promise<void> {
    const range = await this.#deps.store.direct.resources.versionRange();
    requireKept(from, range);
    if (this.#call.context.prefers?.(BOOKMARK_AT_START) === true) this.#awaited = range.newest;
  }

  /** Everything there is as CREATED, then the version up to which that is true, which it answers. */
  async #present(): Promise<number> {
    const { store } = this.#deps;
    const { request } = this.#call;
    const { newest } = await store.direct.resources.versionRange();
    this.#feed.presentVersion = newest;
    const kind = request.kinds.length === 1 ? (request.kinds[0] ?? '') : '';
    const taker = {
      deliver: (resource: StoredResource) => {
        if (this.#filter.admits(resource)) this.#send(resource);
      },
      ready: () => this.#reader.ready(),
      together: (work: () => void) => this.#reader.together(work),
    };
    let after: ResourceKey | undefined;
    for (;;) {
      const page: readonly StoredResource[] = await store.read(async (tx) => {
        const { scope } = await listScope(tx, { ...request, kind }, this.#deps.namespaces.descendants);
        const place = after === undefined ? {} : { after };
        return tx.resources.list({ scope, limit: BATCH, ...(kind === '' ? {} : { kind }), ...place });
      });
      await deliverInPace(page, taker, () => this.#reader.ended);
      after = page.at(-1)?.key;
      if (page.length < BATCH || this.#reader.ended) break;
    }
    this.#send({ bookmark: newest });
    return newest;
  }

  /** Everything that came until now was judged: what was waited for may be true. */
  #judged(): void {
    if (this.#awaited !== undefined && this.#follow.position >= this.#awaited) {
      this.#awaited = undefined;
      this.#send({ bookmark: this.#follow.position });
    }
    if (this.#lostNamespace) this.#requireNamespace().catch((error: unknown) => this.#reader.end(error));
  }

  /** A watch of a namespace that was purged ends as a new one would be refused, once it has shown what went. */
  async #requireNamespace(): Promise<void> {
    this.#lostNamespace = false;
    await this.#reader.ready();
    if (!this.#reader.ended) await requireScope(this.#deps.store.direct, this.#call.request.ns);
  }

  #send(event: WatchEvent): void {
    this.#reader.send(event, this.#feed);
  }

  /** The message of an event as it leaves: many readers of a change get the same object. */
  #form(event: WatchEvent): ResourceChangedEvent {
    this.#sentMs = this.#deps.clock.monotonicMs();
    if (isChange(event)) return this.#deps.events.ofChange(event, this.#readsSecrets(event.resource));
    if (isBookmark(event)) return bookmark(event.bookmark, this.#deps.clock.nowMicros());
    return this.#deps.events.ofPresent(event, this.#readsSecrets(event));
  }

  /** Quiet for a while: the reader learns how far it is. */
  #armQuiet(delayMs = QUIET_MS): void {
    if (this.#reader.ended) return;
    this.#quietTimer = this.#deps.clock.after(delayMs, () => {
      const leftMs = this.#sentMs + QUIET_MS - this.#deps.clock.monotonicMs();
      if (leftMs > 0) return this.#armQuiet(leftMs);
      if (!this.#reader.isLagging) this.#send({ bookmark: this.#follow.position });
      this.#armQuiet();
    });
  }

  #readsSecrets(resource: StoredResource): boolean {
    if (isSecret(resource)) return false;
    return this.#deps.authorizer.readsSecrets(this.#call.context.caller, secretTarget(resource));
  }
}

const parseVersion = (text: string): number | undefined => {
  if (text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalidField('resourceVersion', 'is not a version of a resource');
  return Number(text);
};
