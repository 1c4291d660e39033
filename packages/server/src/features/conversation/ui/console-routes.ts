import type { CallContext } from '../../../auth/contract.ts';
import { Fault, invalidField, isFault } from '../../../base/index.ts';
import { type HttpExchange, type HttpRoute, type HttpStream, viewer } from '../../../operations/index.ts';
import { namespaceKey, parseSessionName, resourceNotFound } from '../../../resources/index.ts';
import type { SessionEvent } from '../../../runtime/contract.ts';
import type { FollowedSession } from '../../../runtime/stream/stream-contract.ts';
import { Member, Reader, type Sink } from '../../../streams/index.ts';
import { SSE_HEADERS } from './chat-outlet.ts';
import { type ConsoleDeps, type ConsoleEvent, TOPICS } from './console-deps.ts';
import { ConsoleHub, type NumberedEvent } from './console-hub.ts';

const KEEP_ALIVE = ': keep-alive\n\n';
/** As for a stream of one session. */
const FOLLOW = viewer('fields');
/** Sessions whose parts one console may follow. */
const PART_SESSIONS = 32;

interface Question {
  readonly topics: ReadonlySet<string>;
  /** '' = every namespace. */
  readonly namespace: string;
  readonly isWanted: (event: Pick<ConsoleEvent, 'namespace' | 'version'>) => boolean;
  readonly sessions: readonly FollowedSession[];
}

/** `GET /v1/ui/events`: everything a console shows in one stream; only what the grants cover. */
export const consoleRoutes = (deps: ConsoleDeps): readonly HttpRoute[] => {
  const hub = new ConsoleHub(deps);
  return [
    {
      method: 'GET',
      pattern: '/v1/ui/events',
      authenticated: true,
      handle: async (exchange, _params, call) => {
        const question = readQuestion(exchange.query, deps);
        if (concerns(call, question.namespace, deps)) await deps.requireNamespace(question.namespace);
        for (const { namespace, agent, sessionId } of question.sessions) {
          deps.authorizer.authorize(FOLLOW, { ns: namespace, agent, sessionId }, call.caller);
        }
        await new ConsoleStream({ deps, hub, exchange, call, question }).run();
      },
    },
  ];
};

const PARAMETERS: readonly string[] = ['ns', 'recursive', 'topics', 'session', 'after'];

const readQuestion = (query: URLSearchParams, deps: ConsoleDeps): Question => {
  const stranger = [...query.keys()].find((name) => !PARAMETERS.includes(name));
  if (stranger !== undefined) throw parameterUnknown(stranger);
  const recursive = query.get('recursive') ?? 'false';
  if (recursive !== 'true' && recursive !== 'false') throw invalidField('recursive', 'must be true or false');
  const topics = query
    .getAll('topics')
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '');
  const unknown = topics.find((topic) => !TOPICS.some((known) => known === topic));
  if (unknown !== undefined) throw invalidField('topics', `unknown topic, must be one of ${TOPICS.join(', ')}`);
  const names = query.getAll('session');
  if (names.length > PART_SESSIONS) throw invalidField('session', `more than ${PART_SESSIONS} sessions`);
  const sessions = names.map((name) => {
    const address = parseSessionName(name);
    if (address === undefined) throw invalidField('session', 'is not a canonical session name');
    return { ...address, after: 'live' };
  });
  const namespace = query.get('ns') ?? '';
  const isBelow = ({ namespace: name, version }: Pick<ConsoleEvent, 'namespace' | 'version'>): boolean =>
    recursive === 'true' && deps.ancestorsAt(name, version).includes(namespace);
  return {
    topics: new Set(topics.length === 0 ? TOPICS : topics),
    namespace,
    isWanted: (event) => namespace === '' || event.namespace === namespace || isBelow(event),
    sessions,
  };
};

/** True when a grant of the caller reaches into the namespace: no one else learns whether it exists. */
const concerns = ({ caller }: CallContext, namespace: string, deps: ConsoleDeps): boolean => {
  const around = [namespace, ...deps.ancestorsAt(namespace)];
  return namespace !== '' && caller.grants.some((grant) => around.includes(grant.namespace ?? namespace));
};

/** INVALID_ARGUMENT PARAMETER_UNKNOWN. */
const parameterUnknown = (field: string): Fault => {
  const description = 'unknown query parameter';
  return new Fault('INVALID_ARGUMENT', 'PARAMETER_UNKNOWN', `${field}: ${description}`, {
    violations: [{ field, description, reason: 'PARAMETER_UNKNOWN' }],
  });
};

interface StreamParts {
  readonly deps: ConsoleDeps;
  readonly hub: ConsoleHub;
  readonly exchange: HttpExchange;
  readonly call: CallContext;
  readonly question: Question;
}

/** One console's share of what all of them are offered. */
class ConsoleMember extends Member<NumberedEvent, ConsoleHub> {
  readonly #isShown: (event: ConsoleEvent) => boolean;
  readonly #namespace: string;

  constructor(reader: Reader<NumberedEvent>, { hub, deps, call, question }: StreamParts) {
    super(reader, hub);
    this.#namespace = question.namespace;
    this.#isShown = (event) => {
      const { topic, namespace, agent, sessionId, channel } = event;
      if (!question.topics.has(topic) || !question.isWanted(event)) return false;
      const target = {
        namespace,
        ...(agent === undefined ? {} : { agent }),
        ...(sessionId === undefined ? {} : { session: sessionId }),
        ...(channel === undefined ? {} : { channel }),
      };
      return deps.authorizer.allows(call.caller, 'viewer', target);
    };
  }

  override deliver(numbered: NumberedEvent): void {
    const { removed } = numbered.event;
    if (this.#isShown(numbered.event)) super.deliver(numbered);
    // The namespace that the console asked for is gone: the same question would be refused now.
    if (removed !== undefined && removed === this.#namespace) this.reader.end(resourceNotFound(namespaceKey(removed)));
  }
}

/** One console. While it lags nothing is kept for it: it gets the advice to load its lists again once it has caught up. */
class ConsoleStream implements Sink<NumberedEvent> {
  readonly #parts: StreamParts;
  readonly #reader: Reader<NumberedEvent>;
  readonly #control = new AbortController();
  #stream: HttpStream | undefined;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#reader = new Reader(this, {
      events: 0,
      bytes: 0,
      caughtUp: () => this.#write('refresh', parts.hub.cursor, '{}'),
    });
  }

  async run(): Promise<void> {
    const { hub, call } = this.#parts;
    const parts = this.#followParts();
    try {
      // A session that is not there is said before the stream begins.
      await Promise.race([parts.opened, parts.ended]);
      await this.#reader.run(call.signal, async () => {
        this.open();
        await parts.ended;
      });
      const { reason } = call.signal;
      // Consoles that still listen learn why the stream ends, and where to continue.
      if (isFault(reason) && reason.reason !== 'CLIENT_GONE') throw withCursor(reason, hub.cursor);
      this.#stream?.end();
    } finally {
      this.#control.abort();
    }
  }

  /** Joins the hub and says where the stream begins: behind the asked cursor, or here. */
  open(): void {
    const { hub, exchange } = this.#parts;
    const asked = exchange.header('last-event-id') ?? exchange.query.get('after') ?? '';
    const member = new ConsoleMember(this.#reader, this.#parts);
    hub.add(member);
    this.#reader.adopt(member);
    this.#stream = exchange.stream(200, SSE_HEADERS, KEEP_ALIVE);
    const place = asked === '' ? undefined : hub.feed.placeOf(asked);
    this.#write('ready', place === undefined ? hub.cursor : asked, '{}');
    if (asked !== '' && place === undefined) this.#write('refresh', hub.cursor, '{}');
    member.follow.start(place ?? hub.feed.newest, place === undefined);
  }

  send({ event }: NumberedEvent, cursor: string): boolean {
    return this.#write(event.topic, cursor, event.data);
  }

  onDrained(notify: () => void): void {
    this.#stream?.onDrained(notify);
  }

  #write(topic: string, cursor: string, data: string): boolean {
    return this.#stream?.write(frame(topic, cursor, data)) ?? true;
  }

  /** Settles `opened` when every part from then on is shown. */
  #followParts(): { readonly opened: Promise<void>; readonly ended: Promise<void> } {
    const { deps, question, call, hub } = this.#parts;
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    if (question.sessions.length === 0 || !question.topics.has('part')) {
      open();
      return { opened, ended: Promise.resolve() };
    }
    const sink: Sink<SessionEvent> = {
      open,
      send: (event, cursor) => {
        const { namespace } = event;
        const shown: ConsoleEvent = { topic: 'part', namespace, data: deps.sessions.part(event, cursor) };
        this.#reader.send({ sequence: hub.feed.newest, event: shown }, hub.feed);
        return true;
      },
      onDrained: () => undefined,
    };
    const request = { sessions: question.sessions, untilDone: false, turnId: '', batch: true };
    const signal = AbortSignal.any([call.signal, this.#control.signal]);
    return { opened, ended: deps.streams.follow(request, sink, signal) };
  }
}

const frame = (event: string, id: string, data: string): string => `event: ${event}\nid: ${id}\ndata: ${data}\n\n`;

const withCursor = ({ code, reason, message }: Fault, cursor: string): Fault =>
  new Fault(code, reason, message, { metadata: { cursor } });
