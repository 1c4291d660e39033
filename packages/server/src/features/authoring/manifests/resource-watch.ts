import type { ResourceChangedEvent } from '@svc/api/events';
import type { WatchResourcesRequest } from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { type CancelTimer, Fault, invalidField } from '../../../base/index.ts';
import type { StreamSink } from '../../../operations/index.ts';
import { parseLabelSelector } from '../../../resources/index.ts';
import type { ResourceChange, ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import type { ManifestsDeps, PastAncestors } from './manifests-deps.ts';
import { requireKind } from './resource-address.ts';
import { bookmark, type ChangeEvents } from './resource-events.ts';
import { listScope, requireScope } from './resource-scope.ts';
import { isSecret, secretTarget } from './resource-shown.ts';
import { WatchFilter } from './watch-filter.ts';

/** What a reader prefers that wants a bookmark when it has everything up to the start of its watch, not at the next quiet time. */
const BOOKMARK_AT_START = 'svc-bookmark';

const BATCH = 500;
const QUIET_MS = 30_000;

interface Sent {
  readonly event: ResourceChangedEvent;
  /** The cursor. */
  readonly id: string;
}

export interface WatchCall {
  readonly request: WatchResourcesRequest;
  readonly context: CallContext;
  readonly sink: StreamSink<ResourceChangedEvent>;
}

/**
 * One WatchResources stream: what is there or what was missed, from the store; then live from the process's change
 * feed, which it joined before it read. Versions decide what was sent already, so nothing is lost or sent twice.
 */
export class ResourceWatch {
  readonly #deps: ManifestsDeps & { readonly events: ChangeEvents };
  readonly #call: WatchCall;
  readonly #filter: WatchFilter;
  readonly #ancestry: PastAncestors;
  #waiting: ResourceChange[] = [];
  #last = 0;
  /** True when the watched namespace itself went; it may have come back since. */
  #lostNamespace = false;
  /** Version up to which a reader that prefers so is waiting to have everything. */
  #awaited: number | undefined;
  #failure: Fault | undefined;
  #wake: () => void = () => undefined;
  #quietTimer: CancelTimer = () => undefined;
  /** Monotonic milliseconds. */
  #sentMs = 0;

  constructor(deps: ManifestsDeps & { readonly events: ChangeEvents }, call: WatchCall) {
    this.#deps = deps;
    this.#call = call;
    const { ns, recursive, kinds, labelSelector, resourceVersion } = call.request;
    this.#ancestry = deps.namespaces.pastAncestry(() => this.#isOver());
    this.#filter = new WatchFilter(
      {
        ns,
        recursive,
        kinds: new Set(kinds),
        labels: parseLabelSelector(labelSelector),
        ancestorsAt: (namespace, version) => this.#ancestry.ancestorsAt(namespace, version),
      },
      resourceVersion === '',
    );
  }

  async run(): Promise<void> {
    const { direct } = this.#deps.store;
    const { request, context, sink } = this.#call;
    const from = parseVersion(request.resourceVersion);
    await requireScope(direct, request.ns);
    for (const [index, kind] of request.kinds.entries()) await requireKind(direct, kind, `kinds[${index}]`);
    const subscription = this.#deps.feed.subscribe((changes) => this.#receive(changes));
    const onAbort = (): void => this.#wake();
    context.signal.addEventListener('abort', onAbort);
    sink.onDrained(() => this.#wake());
    try {
      if (from !== undefined) await this.#requireKept(from);
      sink.open();
      await (from === undefined ? this.#present() : this.#backfill(from, subscription.after));
      await this.#tellArrival();
      await this.#live();
    } finally {
      subscription.stop();
      this.#quietTimer();
      context.signal.removeEventListener('abort', onAbort);
    }
  }

  #receive(changes: readonly ResourceChange[]): void {
    this.#waiting.push(...changes);
    if (this.#waiting.length > this.#deps.streamBufferEvents && !this.#call.sink.writable)
      this.#failure = new Fault('ABORTED', 'SLOW_CONSUMER', 'the reader does not keep up', {
        metadata: { cursor: String(this.#last) },
      });
    this.#wake();
  }

  async #requireKept(from: number): Promise<void> {
    const range = await this.#deps.store.direct.resources.versionRange();
    requireKept(from, range);
    if (this.#call.context.prefers?.(BOOKMARK_AT_START) === true) this.#awaited = range.newest;
  }

  /** Everything there is as CREATED, then the version up to which that is true. */
  async #present(): Promise<void> {
    const { store } = this.#deps;
    const { request } = this.#call;
    const { newest } = await store.direct.resources.versionRange();
    const kind = request.kinds.length === 1 ? (request.kinds[0] ?? '') : '';
    let after: ResourceKey | undefined;
    for (;;) {
      const page: readonly StoredResource[] = await store.read(async (tx) => {
        const { scope } = await listScope(tx, { ...request, kind }, this.#deps.namespaces.descendants);
        const place = after === undefined ? {} : { after };
        return tx.resources.list({ scope, limit: BATCH, ...(kind === '' ? {} : { kind }), ...place });
      });
      await this.#sendAll(page, (resource) => {
        if (!this.#filter.admits(resource)) return undefined;
        return { event: this.#deps.events.ofPresent(resource, this.#readsSecrets(resource)), id: String(newest) };
      });
      after = page.at(-1)?.key;
      if (page.length < BATCH || this.#isOver()) break;
    }
    this.#last = newest;
    await this.#bookmark();
  }

  /** Changes the reader missed, up to where the feed was joined. */
  async #backfill(from: number, joined: number): Promise<void> {
    this.#last = from;
    while (this.#last < joined && !this.#isOver()) {
      const { resources } = this.#deps.store.direct;
      const changes = await resources.changes(this.#last, BATCH);
      // Of a reader that takes its time the next changes may have gone by now, as too old.
      requireKept(this.#last, await resources.versionRange());
      if (changes.length === 0) return;
      if (this.#call.request.recursive) await this.#ancestry.learn(changes);
      await this.#sendAll(changes, (change) => this.#shown(change));
    }
  }

  async #live(): Promise<void> {
    this.#sentMs = this.#deps.clock.monotonicMs();
    this.#armQuiet();
    while (!this.#isOver()) {
      if (this.#failure !== undefined) throw this.#failure;
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#sendAll(batch, (change) => this.#shown(change));
      if (this.#lostNamespace) await this.#requireNamespace();
      await this.#tellArrival();
      // What came while the others were sent has woken no one.
      if (this.#waiting.length === 0) await this.#pause();
    }
  }

  /** A watch of a namespace that was purged ends as a new one would be refused, once it has shown what went. */
  async #requireNamespace(): Promise<void> {
    this.#lostNamespace = false;
    if (!this.#isOver()) await requireScope(this.#deps.store.direct, this.#call.request.ns);
  }

  /** Once, when everything up to the newest version at the start of the watch has been judged. */
  async #tellArrival(): Promise<void> {
    if (this.#awaited === undefined || this.#last < this.#awaited || this.#isOver()) return;
    this.#awaited = undefined;
    await this.#bookmark();
  }

  #shown(change: ResourceChange): Sent | undefined {
    if (change.version <= this.#last) return undefined;
    this.#last = change.version;
    const { kind, name } = change.resource.key;
    if (change.change === 'deleted' && kind === 'Namespace' && name === this.#call.request.ns)
      this.#lostNamespace = true;
    const as = this.#filter.judge(change);
    if (as === undefined) return undefined;
    const secrets = this.#readsSecrets(change.resource);
    return { event: this.#deps.events.ofChange(change, { secrets, as }), id: String(change.version) };
  }

  #bookmark(): Promise<void> {
    const event = bookmark(this.#last, this.#deps.clock.nowMicros());
    return this.#sendAll([event], () => ({ event, id: String(this.#last) }));
  }

  /** Sends what `make` answers for each, as much at a time as the reader takes; one write for all that leaves together. */
  async #sendAll<T>(items: readonly T[], make: (item: T) => Sent | undefined): Promise<void> {
    const { sink } = this.#call;
    const rest = items.values();
    let isDone = false;
    const sendSome = (): void => {
      while (!isDone && sink.writable) {
        const { value, done = false } = rest.next();
        isDone = done;
        const sent = value === undefined ? undefined : make(value);
        if (sent === undefined) continue;
        sink.send(sent.event, sent.id);
        this.#sentMs = this.#deps.clock.monotonicMs();
      }
    };
    while (!isDone && !this.#isOver()) {
      if (items.length === 1) sendSome();
      else sink.together(sendSome);
      await this.#untilWritable();
    }
  }

  async #untilWritable(): Promise<void> {
    while (!this.#call.sink.writable && !this.#isOver()) {
      if (this.#failure !== undefined) throw this.#failure;
      await this.#pause();
    }
  }

  /** Quiet for a while: the reader learns how far it is. */
  #armQuiet(delayMs = QUIET_MS): void {
    this.#quietTimer = this.#deps.clock.after(delayMs, () => {
      if (this.#isOver()) return;
      const leftMs = this.#sentMs + QUIET_MS - this.#deps.clock.monotonicMs();
      if (leftMs > 0) return this.#armQuiet(leftMs);
      if (this.#waiting.length === 0 && this.#call.sink.writable)
        this.#call.sink.send(bookmark(this.#last, this.#deps.clock.nowMicros()), String(this.#last));
      this.#armQuiet();
    });
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isOver()) resolve();
      this.#wake = resolve;
    });
  }

  #isOver(): boolean {
    return this.#call.context.signal.aborted;
  }

  #readsSecrets(resource: StoredResource): boolean {
    if (isSecret(resource)) return false;
    return this.#deps.authorizer.readsSecrets(this.#call.context.caller, secretTarget(resource));
  }
}

const requireKept = (from: number, { oldest, newest }: { readonly oldest: number; readonly newest: number }): void => {
  if (from > newest || from < oldest - 1)
    throw new Fault('OUT_OF_RANGE', 'VERSION_EXPIRED', 'changes after this version are not kept: list again', {
      metadata: { oldest: String(oldest), newest: String(newest) },
    });
};

const parseVersion = (text: string): number | undefined => {
  if (text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw invalidField('resourceVersion', 'is not a version of a resource');
  return Number(text);
};
