import type { CallContext } from '../../../auth/contract.ts';
import { Fault, invalidField, isFault } from '../../../base/index.ts';
import { namespaceKey, parseSessionName, resourceNotFound } from '../../../resources/index.ts';
import type { SessionEvent } from '../../../runtime/contract.ts';
import type { FollowedSession } from '../../../runtime/stream/stream-contract.ts';
import type { Sink } from '../../../streams/index.ts';
import type { HttpExchange, HttpRoute, HttpStream } from '../../../transport/contract.ts';
import { SSE_HEADERS } from './chat-outlet.ts';
import { type ConsoleDeps, type ConsoleEvent, type ConsoleTopic, TOPICS } from './console-deps.ts';
import { ConsoleHub } from './console-hub.ts';

const KEEP_ALIVE = ': keep-alive\n\n';
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
          const method = 'svc.gateway.GatewayService/StreamSessionParts';
          deps.authorizer.authorize(method, { ns: namespace, agent, sessionId }, call.caller);
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

/** One console. While it lags nothing is kept for it: it gets the advice to load its lists again once it has caught up. */
class ConsoleStream {
  readonly #parts: StreamParts;
  readonly #failed = Promise.withResolvers<never>();
  readonly #control = new AbortController();
  #stream: HttpStream | undefined;
  #missed = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { hub, exchange, call } = this.#parts;
    const asked = exchange.header('last-event-id') ?? exchange.query.get('after') ?? '';
    const parts = this.#followParts();
    // A session that is not there is said before the stream begins.
    await Promise.race([parts.opened, parts.ended]);
    const unsubscribe = hub.subscribe((event, cursor) => {
      this.#offer(event, cursor);
      this.#endWith(event.removed);
    });
    const stream = exchange.stream(200, SSE_HEADERS, KEEP_ALIVE);
    stream.onDrained(() => this.#caughtUp());
    const kept = asked === '' ? [] : hub.after(asked);
    stream.write(frame('ready', kept === undefined || asked === '' ? hub.cursor : asked, '{}'));
    if (kept === undefined) stream.write(frame('refresh', hub.cursor, '{}'));
    this.#stream = stream;
    for (const { event, cursor } of kept ?? []) this.#offer(event, cursor);
    try {
      await Promise.race([this.#failed.promise, Promise.all([aborted(call.signal), parts.ended])]);
      const { reason } = call.signal;
      // Consoles that still listen learn why the stream ends, and where to continue.
      if (isFault(reason) && reason.reason !== 'CLIENT_GONE') throw withCursor(reason, hub.cursor);
      stream.end();
    } finally {
      unsubscribe();
      this.#control.abort();
    }
  }

  #offer(event: ConsoleEvent, cursor: string): void {
    const { question, deps, call } = this.#parts;
    const { topic, namespace, agent, sessionId, channel } = event;
    if (this.#stream === undefined || !question.topics.has(topic) || !question.isWanted(event)) return;
    const target = {
      namespace,
      ...(agent === undefined ? {} : { agent }),
      ...(sessionId === undefined ? {} : { session: sessionId }),
      ...(channel === undefined ? {} : { channel }),
    };
    if (!deps.authorizer.allows(call.caller, 'viewer', target)) return;
    this.#write(topic, cursor, event.data);
  }

  /** The namespace that the console asked for is gone: the same question would be refused now. */
  #endWith(removed: string | undefined): void {
    if (removed !== undefined && removed === this.#parts.question.namespace)
      this.#failed.reject(resourceNotFound(namespaceKey(removed)));
  }

  #write(topic: ConsoleTopic, cursor: string, data: string): void {
    if (this.#missed || this.#stream === undefined) return;
    if (!this.#stream.write(frame(topic, cursor, data))) this.#missed = true;
  }

  #caughtUp(): void {
    if (!this.#missed) return;
    this.#missed = false;
    this.#stream?.write(frame('refresh', this.#parts.hub.cursor, '{}'));
  }

  /** Settles `opened` when every part from then on is shown. */
  #followParts(): { readonly opened: Promise<void>; readonly ended: Promise<void> } {
    const { deps, question, call, hub } = this.#parts;
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    if (question.sessions.length === 0 || !question.topics.has('part')) {
      open();
      return { opened, ended: Promise.resolve() };
    }
    const outlet: Sink<SessionEvent> = {
      open,
      send: (event, cursor) => {
        this.#write('part', hub.cursor, deps.sessions.part(event, cursor));
        return true;
      },
      onDrained: () => undefined,
    };
    const request = { sessions: question.sessions, untilDone: false, turnId: '', batch: true };
    const signal = AbortSignal.any([call.signal, this.#control.signal]);
    return { opened, ended: deps.streams.follow(request, outlet, signal) };
  }
}

const frame = (event: string, id: string, data: string): string => `event: ${event}\nid: ${id}\ndata: ${data}\n\n`;

const withCursor = ({ code, reason, message }: Fault, cursor: string): Fault =>
  new Fault(code, reason, message, { metadata: { cursor } });

const aborted = (signal: AbortSignal): Promise<void> => {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
};
