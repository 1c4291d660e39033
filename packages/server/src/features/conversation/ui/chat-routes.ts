import type { CallContext, OperationAccess } from '../../../auth/contract.ts';
import { isFault } from '../../../base/index.ts';
import { type HttpExchange, type HttpRoute, operator, viewer } from '../../../operations/index.ts';
import { ChatChunks } from './chat-chunks.ts';
import { ChatOutlet } from './chat-outlet.ts';
import { type ChatAnswer, ChatBodies } from './reading/index.ts';
import type { ChatNames, UiDeps } from './ui-deps.ts';

const BASE = '/v1/ui/ns/{ns}/agents/{agent}/sessions/{session_id}';
const CONTENT = '/v1/ns/{ns}/agents/{agent}/sessions/{session_id}/messages/{message_id}/parts/{part_id}/content';
const GATEWAY = 'svc.gateway.GatewayService';

interface ChatCall {
  readonly names: ChatNames;
  readonly exchange: HttpExchange;
  readonly call: CallContext;
}

/** Which turn to show, and from where. */
interface Shown {
  readonly turnId: string;
  readonly after: '' | 'live';
  readonly askedCalls: readonly string[];
  /** Runs once the subscription is open and may still refuse the call. */
  readonly before?: () => Promise<void>;
}

type RouteAt = Pick<HttpRoute, 'method' | 'pattern' | 'repeatable'>;
/** The operation that a route stands for, in records and for its caller. */
interface RouteAs {
  readonly operation: string;
  readonly access: OperationAccess;
}
type ChatHandler = (chat: ChatCall, params: Readonly<Record<string, string>>) => Promise<void>;

const namesOf = (params: Readonly<Record<string, string>>): ChatNames => ({
  ns: params['ns'] ?? '',
  agent: params['agent'] ?? '',
  sessionId: params['session_id'] ?? '',
});

/** The same call as an operation; a spread would lose what a context computes (its signal). */
const callAs = (context: CallContext, operation: string): CallContext => ({
  operation,
  caller: context.caller,
  requestId: context.requestId,
  idempotencyKey: context.idempotencyKey,
  traceParent: context.traceParent,
  get signal() {
    return context.signal;
  },
  setHeader: (name, value) => context.setHeader(name, value),
});

const SEND: RouteAs = { operation: `${GATEWAY}/SendMessage`, access: operator('fields') };
const STOP: RouteAs = { operation: `${GATEWAY}/StopSessionGeneration`, access: operator('fields') };
const READ: RouteAs = { operation: `${GATEWAY}/ListSessionMessages`, access: viewer('fields') };
const FOLLOW: RouteAs = { operation: `${GATEWAY}/StreamSessionParts`, access: viewer('fields') };

/** The browser chat of one session: send, attach again, stop; and the bytes of the files in its messages. */
export const chatRoutes = (deps: UiDeps): readonly HttpRoute[] => {
  const bodies = new ChatBodies(deps);
  const route = (at: RouteAt, as: RouteAs, handle: ChatHandler): HttpRoute => ({
    ...at,
    authenticated: true,
    handle: async (exchange, params, context) => {
      const names = namesOf(params);
      const call = callAs(context, as.operation);
      deps.authorizer.authorize(as.access, names, context.caller);
      await handle({ names, exchange, call }, params);
    },
  });
  const attach: ChatHandler = (chat) => reattach(deps, chat);
  return [
    route({ method: 'POST', pattern: BASE, repeatable: true }, SEND, (chat) => post(deps, bodies, chat)),
    route({ method: 'DELETE', pattern: BASE }, STOP, async ({ names, exchange, call }) => {
      await deps.sessions.stop(names, call);
      exchange.answer(204, {});
    }),
    route({ method: 'GET', pattern: CONTENT }, READ, async ({ names, exchange, call }, params) => {
      const { message_id: messageId = '', part_id: partId = '' } = params;
      await deps.sendObject(exchange, await deps.sessions.partObject(names, messageId, partId), call.signal);
    }),
    route({ method: 'GET', pattern: `${BASE}/stream` }, FOLLOW, attach),
    route({ method: 'GET', pattern: `${BASE}/{chat_id}/stream` }, FOLLOW, attach),
  ];
};

const post = async (deps: UiDeps, bodies: ChatBodies, chat: ChatCall): Promise<void> => {
  const { names, exchange, call } = chat;
  const body = await exchange.body({ bytes: deps.requestBytes, setting: 'limits.uiRequestBytes' });
  const request = await bodies.read(body);
  if (request.kind === 'answer') {
    await answerAndShow(deps, chat, request.answers);
    return;
  }
  const sent =
    request.kind === 'send'
      ? await deps.sessions.send(names, request.message, call)
      : await deps.sessions.regenerate(names, request.messageId, call);
  await show(deps, chat, { turnId: sent.turnId, after: sent.steered ? 'live' : '', askedCalls: [] });
};

const reattach = async (deps: UiDeps, chat: ChatCall): Promise<void> => {
  const turnId = await deps.sessions.runningTurn(chat.names);
  if (turnId === '') chat.exchange.answer(204, {});
  else await show(deps, chat, { turnId, after: '', askedCalls: [] });
};

/** Follows first, answers then, so that nothing of the rest of the turn is missed. */
const answerAndShow = async (deps: UiDeps, chat: ChatCall, answers: readonly ChatAnswer[]): Promise<void> => {
  const { names, call } = chat;
  const [first] = answers;
  if (first === undefined) return;
  const turnId = await deps.sessions.permissionTurn(names, first.requestId);
  const askedCalls = answers.map((answer) => answer.toolCallId);
  const before = async (): Promise<void> => {
    for (const answer of answers) await deps.sessions.answer(names, answer, call);
  };
  await show(deps, chat, { turnId, after: 'live', askedCalls, before });
};

/** Streams one turn until its end. */
const show = async (deps: UiDeps, chat: ChatCall, shown: Shown): Promise<void> => {
  const { names, exchange, call } = chat;
  const { askedCalls, before } = shown;
  const resetStep = exchange.query.get('resetStep') === 'true';
  const insideStep = askedCalls.length > 0;
  const session = { namespace: names.ns, agent: names.agent, sessionId: names.sessionId, after: shown.after };
  const request = { sessions: [session], untilDone: true, turnId: shown.turnId, batch: false };
  const control = new AbortController();
  const chunks = new ChatChunks({ links: deps.links, resetStep, askedCalls, insideStep });
  const outlet = new ChatOutlet({ exchange, chunks, clock: deps.clock, leave: () => control.abort() });
  const signal = AbortSignal.any([control.signal, call.signal]);
  const followed = deps.streams.follow(request, outlet, signal);
  try {
    await Promise.race([outlet.opened, followed]);
    await before?.();
    outlet.begin();
    await followed;
    // The end of the credential or of the server does not end the turn.
    if (call.signal.aborted) throw call.signal.reason;
  } catch (error) {
    control.abort();
    if (!outlet.hasBegun) throw error;
    outlet.fail(isFault(error) ? error.message : 'the stream broke off');
    if (!isFault(error)) throw error;
  } finally {
    await followed.catch(() => undefined);
    outlet.end();
  }
};
