import { AgentCard } from '@a2a-js/sdk';
import {
  LegacyJsonRpcTransportHandler,
  LegacyRestTransportHandler,
  V03PushNotificationSerializer,
} from '@a2a-js/sdk/compat/v0_3/server';
import { JsonRpcTransportHandler, ServerCallContext, V1PushNotificationSerializer } from '@a2a-js/sdk/server';
import { isRecord } from '../../base/index.ts';
import { AgentHandler } from './agent-handler.ts';
import type { PeerAnswer, PeerCard, PeerRequest, PeerServer } from './contract.ts';
import { isLegacy, LEGACY, restCall } from './rest-rules.ts';
import { wireCard, wireTask } from './wire-forms.ts';

/** An answer of the library to a JSON-RPC request. */
interface RpcAnswer {
  readonly jsonrpc?: string;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

type RpcOutcome = RpcAnswer | AsyncGenerator<RpcAnswer, void, undefined>;

const isStream = (outcome: RpcOutcome): outcome is AsyncGenerator<RpcAnswer, void, undefined> =>
  Symbol.asyncIterator in outcome;

const contextOf = ({ version }: PeerRequest): ServerCallContext =>
  new ServerCallContext({ requestedVersion: version === '' ? LEGACY : version });

/** Throws what the agent threw, unless the protocol has an error for it. */
const throwOthers = ({ thrown, isOfProtocol }: AgentHandler): void => {
  if (!isOfProtocol) throw thrown;
};

/** The texts of a stream whose first event is made already, so that a refusal is still an answer of its own. */
const streamOf = async <T>(
  handler: AgentHandler,
  events: AsyncGenerator<T, void, undefined>,
  text: (event: T) => string,
): Promise<PeerAnswer> => {
  const first = await events.next();
  const texts = async function* texts() {
    if (first.done !== true) yield text(first.value);
    try {
      for await (const event of events) yield text(event);
    } catch (error) {
      throw handler.thrown ?? error;
    }
  };
  return { kind: 'stream', events: texts() };
};

const answerOf = async (
  handler: AgentHandler,
  outcome: RpcOutcome,
  shape: (answer: RpcAnswer) => { readonly status: number; readonly body: unknown },
): Promise<PeerAnswer> => {
  if (isStream(outcome)) return streamOf(handler, outcome, (answer) => JSON.stringify(shape(answer).body));
  throwOthers(handler);
  const { status, body } = shape(outcome);
  return { kind: 'json', status, body: JSON.stringify(body) };
};

const INTERNAL = -32_603;
const MALFORMED = { code: -32_602, message: 'the request does not have the form that the protocol prescribes' };

/** The library fails by itself only where it reads a request whose members have other types than the protocol says. */
const readableError = <E>(handler: AgentHandler, error: E): E | typeof MALFORMED =>
  handler.thrown === undefined && isRecord(error) && error['code'] === INTERNAL ? MALFORMED : error;

const withReadableError = (handler: AgentHandler, outcome: RpcOutcome): RpcOutcome =>
  isStream(outcome) || outcome.error === undefined
    ? outcome
    : { ...outcome, error: readableError(handler, outcome.error) };

const jsonRpc = async (text: string, request: PeerRequest): Promise<PeerAnswer> => {
  const handler = new AgentHandler(request);
  const transport = isLegacy(request.version)
    ? new LegacyJsonRpcTransportHandler(handler)
    : new JsonRpcTransportHandler(handler);
  const shape = (body: RpcAnswer) => ({ status: 200, body });
  try {
    const outcome = await transport.handle(text, contextOf(request));
    return await answerOf(handler, withReadableError(handler, outcome), shape);
  } catch (error) {
    throwOthers(handler);
    const known = readableError(handler, JsonRpcTransportHandler.mapToJSONRPCError(error));
    const { id = null } = (JSON.parse(text) ?? {}) as { readonly id?: unknown };
    return answerOf(handler, { jsonrpc: '2.0', id, error: known }, shape);
  }
};

/** Status of HTTP for a code of JSON-RPC. */
const STATUS: Readonly<Record<number, number>> = {
  [-32_600]: 400,
  [-32_601]: 404,
  [-32_602]: 400,
  [-32_700]: 400,
  [-32_001]: 404,
  [-32_002]: 409,
  [-32_003]: 400,
  [-32_004]: 400,
  [-32_005]: 415,
  [-32_007]: 400,
  [-32_009]: 400,
};

const restShape = ({ error, result }: RpcAnswer): { readonly status: number; readonly body: unknown } => {
  if (error === undefined) return { status: 200, body: result ?? {} };
  const { code, message, data } = error as { readonly code: number; readonly message: string; readonly data?: unknown };
  const status = STATUS[code] ?? 500;
  return { status, body: { error: { code: status, message, details: data ?? [] } } };
};

/** A call of REST is one of JSON-RPC with another address: the library reads and writes the same JSON in both. */
const modernRest: PeerServer['rest'] = async (call, request) => {
  const handler = new AgentHandler(request);
  try {
    const rpc = restCall(call);
    const transport = new JsonRpcTransportHandler(handler);
    const outcome = await transport.handle({ jsonrpc: '2.0', id: 1, ...rpc }, contextOf(request));
    return await answerOf(handler, withReadableError(handler, outcome), restShape);
  } catch (error) {
    return answerOf(handler, { error: JsonRpcTransportHandler.mapToJSONRPCError(error) }, restShape);
  }
};

type LegacyPush = Parameters<LegacyRestTransportHandler['setTaskPushNotificationConfig']>[0];

/** A call about where the states of a task are sent; undefined for another one. */
const legacyPush = async (
  transport: LegacyRestTransportHandler,
  { method, params }: ReturnType<typeof restCall>,
  context: ServerCallContext,
): Promise<unknown> => {
  const [taskId, id] = [String(params['taskId'] ?? ''), String(params['id'] ?? '')];
  switch (method) {
    case 'CreateTaskPushNotificationConfig':
      return transport.setTaskPushNotificationConfig(params as unknown as LegacyPush, context);
    case 'GetTaskPushNotificationConfig':
      return transport.getTaskPushNotificationConfig(taskId, id, context);
    case 'ListTaskPushNotificationConfigs':
      return transport.listTaskPushNotificationConfigs(taskId, context);
    case 'DeleteTaskPushNotificationConfig':
      await transport.deleteTaskPushNotificationConfig(taskId, id, context);
      return {};
    default:
      return undefined;
  }
};

const legacyRest: PeerServer['rest'] = async (call, request) => {
  const handler = new AgentHandler(request);
  const transport = new LegacyRestTransportHandler(handler);
  const context = contextOf(request);
  const { method, params } = restCall(call);
  const id = String(params['id'] ?? '');
  const send = params as unknown as Parameters<typeof transport.sendMessage>[0];
  const stream = (events: AsyncGenerator<unknown, void, undefined>): Promise<PeerAnswer> =>
    streamOf(handler, events, (event) => JSON.stringify(event));
  const single = async (): Promise<unknown> => {
    if (method === 'SendMessage') return transport.sendMessage(send, context);
    if (method === 'GetTask') return transport.getTask(id, context, params['historyLength']);
    if (method === 'CancelTask') return transport.cancelTask(id, context);
    if (method === 'GetExtendedAgentCard') return transport.getAuthenticatedExtendedAgentCard(context);
    return legacyPush(transport, { method, params }, context);
  };
  try {
    if (method === 'SendStreamingMessage') return await stream(await transport.sendMessageStream(send, context));
    if (method === 'SubscribeToTask') return await stream(await transport.resubscribe(id, context));
    const result = await single();
    if (result !== undefined) return { kind: 'json', status: 200, body: JSON.stringify(result) };
    return { kind: 'json', status: 404, body: JSON.stringify({ code: -32_601, message: 'there is no such method' }) };
  } catch (error) {
    throwOthers(handler);
    const body = readableError(handler, LegacyRestTransportHandler.mapToLegacyHTTPError(error));
    return { kind: 'json', status: STATUS[body.code] ?? 500, body: JSON.stringify(body) };
  }
};

/** What version 0.3 reads has other names than what 1.0 reads, so one card says both. */
const cardJson = (card: PeerCard): Readonly<Record<string, unknown>> => {
  const modern = AgentCard.toJSON(wireCard(card)) as Readonly<Record<string, unknown>>;
  const bearer = { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'bearer' } };
  return {
    ...modern,
    url: card.url,
    protocolVersion: '0.3.0',
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url: card.url, transport: 'HTTP+JSON' }],
    supportsAuthenticatedExtendedCard: card.hasExtendedCard,
    ...(card.needsToken ? { securitySchemes: { bearer }, security: [{ bearer: [] }] } : {}),
  };
};

const pushed: PeerServer['pushed'] = (task, form) => {
  const wired = wireTask(task);
  const payload = { $case: 'task', value: wired } as const;
  return form === 'legacy'
    ? new V03PushNotificationSerializer().serialize({ payload }, wired)
    : new V1PushNotificationSerializer().serialize({ payload }, wired);
};

/** Serves agents with the official library. */
export const createPeerServer = (): PeerServer => ({
  card: (card: PeerCard) => JSON.stringify(cardJson(card)),
  pushed,
  jsonRpc,
  rest: (call, request) => (isLegacy(request.version) ? legacyRest(call, request) : modernRest(call, request)),
});
