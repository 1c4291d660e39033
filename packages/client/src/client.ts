import {
  AdminService,
  AuthService,
  DeliveryService,
  FileService,
  GatewayService,
  ResourceService,
  SessionControlService,
  TaskService,
  WorkflowService,
} from '@svc/api/gateway';
import { type CallOptions, type Calls, callsOf } from './calls.ts';
import { type ClientEnvironment, defaultEnvironment } from './environment.ts';
import { Session, type SessionKey } from './session/index.ts';
import { type Connection, type Credentials, defaultRetryPolicy, type RetryPolicy } from './transport/index.ts';

export interface ClientOptions extends Credentials {
  /** Such as `http://127.0.0.1:7420`. */
  readonly baseUrl: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly retry?: Partial<RetryPolicy>;
  /** Time of one try of a call, default 60 s (API-1.9). */
  readonly timeoutMs?: number;
  /** Replaces parts of the surroundings, for tests and special networks. */
  readonly fetch?: ClientEnvironment['fetch'];
  readonly clock?: ClientEnvironment['clock'];
  readonly random?: ClientEnvironment['random'];
  readonly uniqueText?: ClientEnvironment['uniqueText'];
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** Every operation of the server as a typed call, by service, and sessions with what belongs to a conversation. */
export interface Client {
  readonly baseUrl: string;
  readonly gateway: Calls<typeof GatewayService>;
  readonly resources: Calls<typeof ResourceService>;
  readonly sessionControl: Calls<typeof SessionControlService>;
  readonly workflows: Calls<typeof WorkflowService>;
  readonly tasks: Calls<typeof TaskService>;
  readonly files: Calls<typeof FileService>;
  readonly auth: Calls<typeof AuthService>;
  readonly admin: Calls<typeof AdminService>;
  readonly deliveries: Calls<typeof DeliveryService>;
  /** A handle of a session that exists; makes no call. */
  session(key: SessionKey): Session;
  createSession(
    request: { readonly ns: string; readonly agent: string; readonly labels?: Readonly<Record<string, string>> },
    options?: CallOptions,
  ): Promise<Session>;
}

/** A client of one server. Opens nothing until the first call; throws TypeError for a malformed address. */
export const createClient = (options: ClientOptions): Client => {
  const connection = connectionOf(options);
  const policy = { ...defaultRetryPolicy, ...options.retry };
  const gateway = callsOf(GatewayService, connection, policy);
  const control = callsOf(SessionControlService, connection, policy);
  const parts = { gateway, control, environment: connection.environment, policy };
  return {
    baseUrl: connection.baseUrl,
    gateway,
    resources: callsOf(ResourceService, connection, policy),
    sessionControl: control,
    workflows: callsOf(WorkflowService, connection, policy),
    tasks: callsOf(TaskService, connection, policy),
    files: callsOf(FileService, connection, policy),
    auth: callsOf(AuthService, connection, policy),
    admin: callsOf(AdminService, connection, policy),
    deliveries: callsOf(DeliveryService, connection, policy),
    session: (key) => new Session(key, parts),
    createSession: async ({ ns, agent, labels = {} }, call) => {
      const { sessionId } = await gateway.createSession({ ns, agent, labels: { ...labels } }, call);
      return new Session({ ns, agent, sessionId }, parts);
    },
  };
};

const connectionOf = (options: ClientOptions): Connection => {
  const url = new URL(options.baseUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`${options.baseUrl} is no http address`);
  const surroundings = defaultEnvironment();
  const { fetch, clock, random, uniqueText, token, apiKey, basic } = options;
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    credentials: {
      ...(token === undefined ? {} : { token }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(basic === undefined ? {} : { basic }),
    },
    headers: options.headers ?? {},
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    environment: {
      fetch: fetch ?? surroundings.fetch,
      clock: clock ?? surroundings.clock,
      random: random ?? surroundings.random,
      uniqueText: uniqueText ?? surroundings.uniqueText,
    },
  };
};
