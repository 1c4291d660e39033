import {
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
import { type CallOptions, type Calls, callsOf } from './calls.ts';
import { type ClientOptions, connectionOf } from './client-options.ts';
import { Session, type SessionKey } from './session/index.ts';
import { defaultRetryPolicy } from './transport/index.ts';

/** Every operation of the server as a typed call, by service, and sessions with everything that belongs to a conversation. */
export interface Client {
  readonly baseUrl: string;
  readonly gateway: Calls<typeof GatewayService>;
  readonly resources: Calls<typeof ResourceService>;
  readonly sessionControl: Calls<typeof SessionControlService>;
  readonly workflows: Calls<typeof WorkflowService>;
  readonly tasks: Calls<typeof TaskService>;
  readonly usage: Calls<typeof UsageService>;
  readonly mcpSignIns: Calls<typeof McpSignInService>;
  readonly tools: Calls<typeof ToolService>;
  readonly trails: Calls<typeof TrailService>;
  readonly sandboxes: Calls<typeof SandboxService>;
  readonly routing: Calls<typeof RoutingService>;
  readonly files: Calls<typeof FileService>;
  readonly auth: Calls<typeof AuthService>;
  readonly admin: Calls<typeof AdminService>;
  readonly deliveries: Calls<typeof DeliveryService>;
  /** A handle for an existing session; makes no call. */
  session(key: SessionKey): Session;
  createSession(
    request: { readonly ns: string; readonly agent: string; readonly labels?: Readonly<Record<string, string>> },
    options?: CallOptions,
  ): Promise<Session>;
}

/** A client for one server. Opens nothing until the first call; throws TypeError for a malformed address. */
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
    usage: callsOf(UsageService, connection, policy),
    mcpSignIns: callsOf(McpSignInService, connection, policy),
    tools: callsOf(ToolService, connection, policy),
    trails: callsOf(TrailService, connection, policy),
    sandboxes: callsOf(SandboxService, connection, policy),
    routing: callsOf(RoutingService, connection, policy),
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
