import type { JsonObject } from '@bufbuild/protobuf';
import type {
  AdminService,
  AuthService,
  DeliveryService,
  FileService,
  GatewayService,
  McpSignInService,
  ResourceService,
  RoutingService,
  SandboxService,
  SessionControlService,
  TaskService,
  ToolService,
  TrailService,
  UsageService,
  WorkflowService,
} from '@svc/api/gateway';
import type { CallOptions } from './calls.ts';
import { type ClientOptions, connectionOf } from './client-options.ts';
import type { ClientAnswer } from './environment.ts';
import {
  callRepeatedly,
  callUnary,
  defaultRetryPolicy,
  networkError,
  openRoute,
  type RouteRequest,
  streamLines,
  takesIdempotencyKey,
} from './transport/index.ts';

export { type ClientEnvironment, defaultEnvironment, pause } from './environment.ts';
export { isSvcError, SvcError } from './error.ts';
export { defaultRetryPolicy, isInterruption, streamRetryMs } from './transport/index.ts';

interface Services {
  readonly AdminService: typeof AdminService;
  readonly AuthService: typeof AuthService;
  readonly DeliveryService: typeof DeliveryService;
  readonly FileService: typeof FileService;
  readonly GatewayService: typeof GatewayService;
  readonly McpSignInService: typeof McpSignInService;
  readonly ResourceService: typeof ResourceService;
  readonly SandboxService: typeof SandboxService;
  readonly RoutingService: typeof RoutingService;
  readonly SessionControlService: typeof SessionControlService;
  readonly TaskService: typeof TaskService;
  readonly ToolService: typeof ToolService;
  readonly TrailService: typeof TrailService;
  readonly UsageService: typeof UsageService;
  readonly WorkflowService: typeof WorkflowService;
}

/** Unary operations of one service, by name. */
type UnaryOf<M> = { [K in keyof M & string]: M[K] extends { methodKind: 'unary' } ? Capitalize<K> : never }[keyof M &
  string];

/** A unary operation such as `GatewayService/GetAgent`. */
export type PlainOperation = { [S in keyof Services]: `${S}/${UnaryOf<Services[S]['method']>}` }[keyof Services];

/** Calls in JSON. */
export interface PlainClient {
  readonly baseUrl: string;
  /** Request and answer in the JSON of the REST API, which includes default values. Throws SvcError. */
  call(operation: PlainOperation, request: JsonObject, options?: CallOptions): Promise<JsonObject>;
  /** One request of a path, never repeated; the body of the answer is unread. Throws SvcError for any status but 200. */
  open(request: RouteRequest): Promise<ClientAnswer>;
  /** One server stream of the REST API, its messages as JSON; never repeated. Ends and throws as streams of typed calls do. */
  lines(request: RouteRequest & Pick<CallOptions, 'onOpen'>): AsyncIterable<JsonObject>;
}

/**
 * A client without messages, for programs that start often and make one call: it loads no descriptors, which would take
 * longer than most calls. Opens nothing until the first call; throws TypeError for a malformed address.
 */
export const createPlainClient = (options: ClientOptions): PlainClient => {
  const connection = connectionOf(options);
  const policy = { ...defaultRetryPolicy, ...options.retry };
  return {
    baseUrl: connection.baseUrl,
    call: (path, request, { signal, ...given } = {}) => {
      const [, operation = ''] = path.split('/');
      const headers: Record<string, string> = { ...given.headers };
      if (takesIdempotencyKey(operation))
        headers['idempotency-key'] = given.idempotencyKey ?? connection.environment.uniqueText();
      const call = {
        ...({ operation, rpcPath: `/svc.gateway.${path}`, contentType: 'application/json', headers, signal } as const),
        body: JSON.stringify(request),
        read: async (answer: { text(): Promise<string> }) => JSON.parse(await answer.text()) as JsonObject,
        timeoutMs: given.timeoutMs ?? connection.timeoutMs + waitMs(request),
      };
      return callRepeatedly(connection.environment, policy, {
        operation,
        signal,
        once: () => callUnary(connection, call),
      });
    },
    open: async (request) => {
      try {
        return await openRoute(connection, request);
      } catch (error) {
        throw networkError(error, connection.baseUrl);
      }
    },
    lines: (request) =>
      streamLines(connection, { ...request, signal: request.signal, decode: (line) => line as JsonObject }),
  };
};

/** `waitSeconds` extends the deadline. */
const waitMs = ({ waitSeconds }: JsonObject): number => (typeof waitSeconds === 'number' ? waitSeconds * 1_000 : 0);
