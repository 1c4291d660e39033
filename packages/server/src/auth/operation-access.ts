import type { Role } from './contract.ts';

/**
 * What a caller needs for an operation: a role on the target; `any`: any valid credential; `callback`: the secret of a connector
 * registration.
 */
export type AccessNeed = Role | 'any' | 'callback';

/** Which fields of a request name the target. */
export type TargetRule =
  /** Fields ns, agent, session_id. */
  | 'fields'
  /** ns, and `name` is the agent. */
  | 'agent-name'
  /** ns, and `name` or `channel` is a channel. */
  | 'channel-name'
  | 'channel'
  /** `name` is the namespace itself. */
  | 'namespace-name'
  /** The parent of the namespace `name`; unscoped for a root name. */
  | 'namespace-parent'
  /** `parent`, or no particular target: the answer is filtered. */
  | 'namespace-list'
  /** Namespace `system`. */
  | 'system'
  /** Every session of a batch. */
  | 'batch'
  /** Every namespace of the documents. */
  | 'manifests'
  /** `ns`, unscoped when empty. */
  | 'audit'
  /** The instance as a whole. */
  | 'unscoped'
  /** Any grant is enough; the answer is filtered by grants. */
  | 'own';

export interface OperationAccess {
  readonly need: AccessNeed;
  readonly target: TargetRule;
}

const rows = (service: string, need: AccessNeed, targets: Readonly<Partial<Record<TargetRule, string>>>) =>
  Object.entries(targets).flatMap(([target, names]) =>
    names
      .split(/\s+/)
      .filter((name) => name !== '')
      .map((name): readonly [string, OperationAccess] => [
        `${service}/${name}`,
        { need, target: target as TargetRule },
      ]),
  );

const GATEWAY = 'svc.gateway.GatewayService';
const RESOURCES = 'svc.gateway.ResourceService';
const CONTROL = 'svc.gateway.SessionControlService';
const WORKFLOWS = 'svc.gateway.WorkflowService';
const FILES = 'svc.gateway.FileService';
const AUTH = 'svc.gateway.AuthService';
const DELIVERIES = 'svc.gateway.DeliveryService';

/** One row per operation of the API, by full name; a test compares it with the descriptors. */
export const operationAccess: ReadonlyMap<string, OperationAccess> = new Map([
  ...rows(GATEWAY, 'viewer', {
    'agent-name': 'GetAgent',
    fields: `ListAgents GetKnowledge SearchKnowledge GetNamespaceKnowledge ListNamespaceKnowledge GetSession
      ListSessionMessages ListSessions StreamSessionParts GetSchedule ListSchedules GetMcpServerBinding
      ListMcpServerBindings ListChannels GetChannelSubscription ListChannelSubscriptions`,
    batch: 'StreamSessionPartsBatch',
    'namespace-name': 'GetNamespace',
    'namespace-list': 'ListNamespaces',
    system: 'GetAgentTemplate ListAgentTemplates GetMcpServer ListMcpServers',
    'channel-name': 'GetChannel',
    channel: 'GetChannelMessage ListChannelMessages StreamChannelEvents',
  }),
  ...rows(GATEWAY, 'operator', {
    fields: `CreateNamespaceKnowledge DeleteNamespaceKnowledge CreateSession DeleteSession ClearSession SendMessage
      AppendSessionMessage StopSessionGeneration`,
    channel: 'PostChannelMessage',
  }),
  ...rows(GATEWAY, 'admin', {
    fields: `CreateAgent ModifyAgent CreateSchedule ModifySchedule DeleteSchedule CreateMcpServerBinding
      DeleteMcpServerBinding CreateChannel ModifyChannel DeleteChannel CreateChannelSubscription
      ModifyChannelSubscription DeleteChannelSubscription`,
    'namespace-parent': 'CreateNamespace DeleteNamespace',
    system: 'CreateAgentTemplate DeleteAgentTemplate CreateMcpServer DeleteMcpServer',
  }),
  ...rows(RESOURCES, 'viewer', { fields: 'GetResource ListResources WatchResources' }),
  ...rows(RESOURCES, 'admin', { fields: 'ApplyResource DeleteResource', manifests: 'ApplyManifests' }),
  ...rows(CONTROL, 'viewer', { fields: 'ListTurns GetTurn ListPermissionRequests' }),
  ...rows(CONTROL, 'operator', { fields: 'UpdateSessionMessage AnswerPermission ForkSession RunSchedule' }),
  ...rows(WORKFLOWS, 'viewer', { fields: 'GetRun ListRuns StreamRunEvents' }),
  ...rows(WORKFLOWS, 'operator', { fields: 'CreateRun ResumeRun CancelRun' }),
  ...rows('svc.gateway.TaskService', 'operator', { fields: 'UpdateTask' }),
  ...rows(FILES, 'viewer', { fields: 'ReadFile ListFiles ListArtifacts ReadArtifact' }),
  ...rows(FILES, 'operator', {
    fields: `CreateFile UpdateFile PrepareUpload CompleteUpload DeleteFile PromoteArtifact GrantArtifact DeleteArtifact`,
  }),
  ...rows(AUTH, 'any', { own: 'WhoAmI MintAccessToken' }),
  ...rows(AUTH, 'admin', { own: 'CreateApiKey ListApiKeys RevokeApiKey', audit: 'ListAuditRecords' }),
  ...rows('svc.gateway.AdminService', 'admin', {
    unscoped: 'GetConfiguration RunDoctor CreateBackup DrainWorker RotateSecretKey',
  }),
  ...rows(DELIVERIES, 'viewer', { fields: 'ListDeliveries' }),
  ...rows(DELIVERIES, 'operator', { fields: 'RetryDelivery ReleaseDelivery SkipDelivery' }),
  ...rows('svc.external.ConnectorService', 'callback', { own: 'IngestMessageEvent ReportStatus' }),
]);
