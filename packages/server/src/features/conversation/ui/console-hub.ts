import { create, toJson } from '@bufbuild/protobuf';
import { ResourceChangedEventSchema, ResourceChangeType } from '@svc/api/events';
import { ResourceSchema } from '@svc/api/resources';
import type { CancelTimer } from '../../../base/index.ts';
import type { ResourceViews } from '../../../resources/index.ts';
import { EVENT, eventSubject, PART, type SessionEvent } from '../../../runtime/contract.ts';
import { SESSION_ACTIVITY, type SessionActivity } from '../../../runtime/stream/stream-contract.ts';
import type { ResourceChange } from '../../../store/contracts/index.ts';
import { Hub, type Member, type Numbered, RecentFeed } from '../../../streams/index.ts';
import type { ConsoleDeps, ConsoleEvent } from './console-deps.ts';

/** Events kept for consoles that come back. */
const RECENT_EVENTS = 4_096;
/** Characters of their JSON. */
const RECENT_CHARS = 16 * 1024 * 1024;
/** Notifications of one session within this time are read once. */
const GATHER_MS = 50;
/** How long events are still gathered after the last console left, so that a reload loses nothing. */
const LINGER_MS = 30_000;

const CHANGE = {
  created: ResourceChangeType.CREATED,
  updated: ResourceChangeType.UPDATED,
  deleted: ResourceChangeType.DELETED,
} as const;

export type NumberedEvent = Numbered<ConsoleEvent>;
type ConsoleMember = Member<NumberedEvent>;

/**
 * Gathers what consoles show, once for all of them, while one is connected. Keeps the newest events so that a cursor can be
 * resumed; a cursor of another start, or older than that, means: load the lists again.
 */
export class ConsoleHub extends Hub<NumberedEvent, ConsoleMember, RecentFeed<ConsoleEvent>> {
  readonly #deps: ConsoleDeps;
  readonly #gathered = new Map<string, SessionActivity>();
  /** Sessions with announced turns that have not ended, and how to stop listening to them. */
  readonly #busy = new Map<string, { readonly open: Set<string>; readonly stop: () => void }>();
  #stops: (() => void)[] = [];
  #gatherTimer: CancelTimer | undefined;
  #lingerTimer: CancelTimer | undefined;

  constructor(deps: ConsoleDeps) {
    super(new RecentFeed({ events: RECENT_EVENTS, bytes: RECENT_CHARS, sizeOf: ({ data }) => data.length }));
    this.#deps = deps;
    this.emptied = () => {
      this.#lingerTimer = deps.clock.after(LINGER_MS, () => this.close());
    };
  }

  /** Of the newest event. */
  get cursor(): string {
    return this.feed.cursor(this.feed.newest);
  }

  override add(member: ConsoleMember): void {
    this.#lingerTimer?.();
    this.#lingerTimer = undefined;
    if (this.#stops.length === 0) this.#start();
    super.add(member);
  }

  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
    for (const { stop } of this.#busy.values()) stop();
    this.#busy.clear();
    this.#gatherTimer?.();
    this.#lingerTimer?.();
    this.#gatherTimer = undefined;
    this.#lingerTimer = undefined;
    this.#gathered.clear();
    this.feed.restart('');
  }

  #start(): void {
    this.feed.restart(this.#deps.ids.next());
    const { bus, changes } = this.#deps;
    const feed = changes.subscribe((list) => {
      for (const change of list) this.#publish(resourceEvent(change, this.#deps.views));
    });
    const endActivity = bus.subscribe(SESSION_ACTIVITY, (message) => this.#hear(message as SessionActivity));
    const { channels, runs, deliveries } = this.#deps;
    this.#stops = [
      () => feed.stop(),
      endActivity,
      channels.subscribe((event) => this.#publish({ topic: 'channel', ...event })),
      runs.subscribe((event) => this.#publish({ topic: 'run', ...event })),
      deliveries.subscribe((event) => this.#publish({ topic: 'delivery', ...event })),
    ];
  }

  #publish(event: ConsoleEvent): void {
    this.receive(this.feed.add(event));
  }

  #hear(activity: SessionActivity): void {
    this.#gather(activity);
    const { sessionId, turnId } = activity;
    if (turnId === '') return;
    const known = this.#busy.get(sessionId);
    if (known !== undefined) {
      known.open.add(turnId);
      return;
    }
    const open = new Set([turnId]);
    const seen = new Set<string>();
    const stop = this.#deps.bus.subscribe(eventSubject(sessionId), (message) => {
      this.#follow(message as SessionEvent, { open, seen });
    });
    this.#busy.set(sessionId, { open, stop });
  }

  /** A turn's start, its questions and its end change what lists show; its pieces do not. */
  #follow(event: SessionEvent, turns: { readonly open: Set<string>; readonly seen: Set<string> }): void {
    const { namespace, agent, sessionId, turnId, kind, part } = event;
    const isEnd = kind === EVENT.DONE || kind === EVENT.ERROR;
    const isQuestion = part?.type === PART.REQUEST_PERMISSION || part?.type === PART.PERMISSION_RESULT;
    if (turns.seen.has(turnId) && !isEnd && !isQuestion) return;
    turns.seen.add(turnId);
    this.#gather({ namespace, agent, sessionId, turnId, messageId: isEnd ? event.messageId : '' });
    if (!isEnd) return;
    turns.seen.delete(turnId);
    turns.open.delete(turnId);
    if (turns.open.size > 0) return;
    this.#busy.get(sessionId)?.stop();
    this.#busy.delete(sessionId);
  }

  #gather(activity: SessionActivity): void {
    this.#gathered.set(`${activity.sessionId} ${activity.turnId} ${activity.messageId}`, activity);
    this.#gatherTimer ??= this.#deps.clock.after(GATHER_MS, () => {
      this.#gatherTimer = undefined;
      this.flush().catch((error: unknown) => {
        this.#deps.log.warn('reading session changes for consoles failed', { reason: String(error) });
      });
    });
  }

  /** Reads the sessions that were named and publishes what it finds; called by the timer, and by tests. */
  async flush(): Promise<void> {
    const gathered = [...this.#gathered.values()];
    this.#gathered.clear();
    for (const activity of gathered) {
      for (const event of await this.#deps.sessions.read(activity)) this.#publish(event);
    }
  }
}

/** The change without the spec, whose members may be secret or large. */
const resourceEvent = (change: ResourceChange, views: ResourceViews): ConsoleEvent => {
  const { resource } = change;
  const { kind, namespace, parent, name } = resource.key;
  const full = views.generic(resource, { secrets: false });
  const { metadata, status } = full;
  const shown = create(ResourceSchema, {
    apiVersion: full.apiVersion,
    kind: full.kind,
    ...(metadata === undefined ? {} : { metadata }),
    ...(status === undefined ? {} : { status }),
  });
  const message = create(ResourceChangedEventSchema, {
    namespace,
    resourceKind: kind,
    name,
    uid: resource.uid,
    resourceVersion: String(change.version),
    generation: BigInt(resource.generation),
    changeType: CHANGE[change.change],
    changedSections: [...change.sections],
    timestamp: BigInt(change.at),
    resource: shown,
  });
  const data = JSON.stringify(toJson(ResourceChangedEventSchema, message, { alwaysEmitImplicit: true }));
  return {
    topic: 'resource',
    namespace: kind === 'Namespace' ? name : namespace,
    ...(kind === 'Agent' ? { agent: name } : {}),
    ...(kind === 'Session' ? { agent: parent, sessionId: name } : {}),
    data,
    version: change.version,
    ...(kind === 'Namespace' && change.change === 'deleted' ? { removed: name } : {}),
  };
};
