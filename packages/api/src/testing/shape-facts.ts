/**
 * What the specification of svc says of its messages, typed in by hand as data: fields by name and type. `?` after a
 * type means that the field may be absent, `[]` a list, `map<x>` a map from text to x. Types without
 * a package belong to svc.resources, else to svc.data. Numbers are not part of these facts.
 */

/** Shapes of svc.resources. */
export const resourceShapes: Readonly<Record<string, string>> = {
  OwnerReference:
    'api_version string, kind string, namespace string, name string, uid string, controller bool, block_owner_deletion bool',
  ResourceMeta:
    'name string, namespace string, labels map<string>, annotations map<string>, owner_references OwnerReference[], finalizers string[], generation uint64, resource_version string, uid string, deletion_timestamp int64?',
  ResourceCondition:
    'type string, status string, reason string, message string, last_transition_time int64, observed_generation uint64',
  CommonResourceStatus: 'observed_generation uint64, phase string, conditions ResourceCondition[]',
  ResourceRef: 'namespace string, name string',
  NamespaceSelector: 'parent string, match_labels map<string>',
  Resource: 'api_version string, kind string, metadata ResourceMeta, spec ResourceSpec, status ResourceStatus',
  ResourceManifest: 'api_version string, kind string, metadata ResourceMeta, spec ResourceSpec',
  RawResourceSpec: 'json string',
  RawResourceStatus: 'json string',
  AgentSpec:
    'features Feature[], model_policy ModelPolicy, system_prompt string, mcp_server_refs string[], post_history_prompt string, capabilities map<google.protobuf.ListValue>, a2a A2A, runtime AgentRuntime',
  AgentStatus: 'observed_generation uint64, phase string, conditions ResourceCondition[], last_session_id string?',
  AgentRuntime: 'kind string, acp AcpRuntime',
  AcpRuntime:
    'harness_ref string, command string, args string[], cwd string, sandbox_policy_ref string, persist_session bool, env map<string>, permission_policy map<string>',
  Feature: 'name string, type string, required bool',
  Model: 'provider string, name string, temperature float, thinking ThinkingConfig',
  ThinkingConfig: 'enabled bool, budget_tokens uint32?, effort string',
  ModelProfile: 'name string, model Model',
  ModelPolicy: 'profiles ModelProfile[]',
  A2A: 'connections Connection[], agent_card AgentCard',
  Connection:
    'name string, description string, target ConnectionRef, input_modes string[], output_modes string[], timeout_seconds uint32, max_depth uint32, auth ConnectionAuth',
  ConnectionRef: 'internal InternalConnectionRef?, external ExternalConnectionRef?',
  InternalConnectionRef: 'namespace string, agent string',
  ExternalConnectionRef: 'agent_card_url string',
  ConnectionAuth: 'kind string, secret_ref string',
  AgentCard:
    'name string, description string, version string, capabilities AgentCardCapabilities, default_input_modes string[], default_output_modes string[], skills AgentCardSkill[]',
  AgentCardCapabilities: 'streaming bool, push_notifications bool, extended_agent_card bool',
  AgentCardSkill:
    'id string, name string, description string, tags string[], examples string[], input_modes string[], output_modes string[]',
  McpServerSpec:
    'transport string, target string, args string[], headers map<string>, disabled bool, auth_broker McpAuthBrokerSpec, policy McpServerPolicy',
  McpAuthBrokerSpec: 'kind string, url string, cache_ttl_seconds int32, audience string',
  McpServerPolicy: 'tools McpToolPolicy',
  McpToolPolicy: 'allowlist string[]',
  KnowledgeSpec: 'path string, content string',
  SkillSpec: 'description string, instructions string',
  NamespaceSpec: 'parent string',
  NamespaceStatus:
    'observed_generation uint64, phase string, conditions ResourceCondition[], is_deleted bool, deleted_at int64',
  ChannelSpec: 'title string, metadata map<string>',
  ChannelStatus:
    'observed_generation uint64, phase string, conditions ResourceCondition[], created_at int64, updated_at int64',
  ChannelContextPolicy: 'mode string, max_messages uint32',
  ChannelSubscriptionSpec:
    'channel string, agent string, enabled bool, trigger string, context_policy ChannelContextPolicy, reply_mode string, metadata map<string>',
  ConnectorClassRuntimeSpec: 'kind string, endpoint string',
  ConnectorClassAuthSpec: 'kind string, api_key ConnectorSecretRef',
  ConnectorSecretRef: 'plain string?, env string?',
  ConnectorMatchIndex: 'name string, fields string[]',
  ConnectorClassSpec:
    'platform string, runtime ConnectorClassRuntimeSpec, auth ConnectorClassAuthSpec, match_indexes ConnectorMatchIndex[]',
  ConnectorClassStatus: 'observed_generation uint64, phase string, conditions ResourceCondition[]',
  ConnectorSpec: 'class_ref ResourceRef, enabled bool, match_fields map<string>, consumer MessageConsumer',
  ConnectorStatus:
    'observed_generation uint64, phase string, conditions ResourceCondition[], compiled_route_ids string[]',
  FileSpec:
    'path string, media_type string, purpose FilePurpose, index_policy FileIndexPolicy, retention FileRetention',
  FileStatus:
    'observed_generation uint64, phase string, conditions ResourceCondition[], object_ref FileObjectRef, updated_at int64, pending_upload PendingFileUpload',
  FileObjectRef:
    'key string, media_type string, size_bytes uint64, sha256 string, filename string, metadata map<string>',
  PendingFileUpload:
    'id string, object_key string, expected_size_bytes uint64, expected_sha256 string, required_headers map<string>, created_by_agent string, created_by_session_id string, expires_at int64, created_at int64',
  ScheduleTarget: 'agent string, session_mode string, session_id string, workflow string',
  ScheduleSpec:
    'kind string, cron string, interval_seconds uint32, run_at string, timezone string, target ScheduleTarget, input_message string, enabled bool, input_json string',
  ScheduleStatus:
    'observed_generation uint64, phase string, conditions ResourceCondition[], revision uint64, next_run_at int64?, backend_handle string?, backend_armed bool, last_run_at int64?, last_session_id string?, last_error string?, claimed_run_at int64?, claim_expires_at int64?, recent_events ScheduleEvent[]',
  ScheduleEvent: 'timestamp int64, phase string, outcome string, detail string',
  SecretSpec: 'type string, data map<string>, string_data map<string>',
  WorkflowStepOutputPolicy: 'format string, schema_json string',
  WorkflowStepRetryPolicy:
    'max_attempts uint32, initial_backoff_seconds int64, max_backoff_seconds int64, multiplier double',
  WorkflowStep:
    'id string, type string, after string[], when_json string, agent string, prompt string, tool string, input_json string, workflow string, output WorkflowStepOutputPolicy, resume_schema_json string, retry WorkflowStepRetryPolicy, timeout string, wait_duration string, wait_until string',
  WorkflowSpec:
    'description string, input_schema_json string, output_schema_json string, steps WorkflowStep[], output_json string, concurrency uint32',
  WorkflowStatus: 'observed_generation uint64, phase string, conditions ResourceCondition[]',
  TemplateSpec: 'kind string, metadata ResourceMeta, spec_json string',
  DeploymentPlacement: 'namespace_selector NamespaceSelector',
  DeploymentSpec: 'placement DeploymentPlacement, templates string[]',
  DeploymentStatus:
    'observed_generation uint64, phase string, conditions ResourceCondition[], replicas ResourceRef[], replica_counts DeploymentReplicaCounts',
  DeploymentReplicaCounts: 'desired uint64, updated uint64, ready uint64, pending uint64, degraded uint64',
  DeploymentReplicaSpec: 'deployment_ref ResourceRef, target_namespace string',
  DeploymentReplicaStatus:
    'observed_generation uint64, phase string, conditions ResourceCondition[], rendered_resources string[], rendered_hashes map<string>, conflicts string[], last_rendered_json map<string>, owned_json_pointers string[]',
  SandboxClassSpec: 'provider string, provider_config_json string, credentials_json string',
  SandboxWorkspaceSpec: 'mode string, mount_path string',
  SandboxSetupSpec: 'packages string[], commands string[]',
  SandboxNetworkSpec: 'mode string',
  SandboxFilesystemSpec: 'writable string[], readonly string[]',
  SandboxLeasePolicySpec: 'mode string',
  SandboxRuntimeTemplateSpec:
    'image string, workspace SandboxWorkspaceSpec, setup SandboxSetupSpec, network SandboxNetworkSpec, filesystem SandboxFilesystemSpec, lease_policy SandboxLeasePolicySpec',
  SandboxPolicySpec: 'class_ref ResourceRef, template SandboxRuntimeTemplateSpec, max_concurrent uint32',
  SandboxLease:
    'owner_kind string, owner_agent string, owner_session_id string, token string, acquired_at int64, expires_at int64, heartbeat_at int64',
  SandboxProcessStatus: 'id string, command string, args string[], protocol string, phase string',
  SandboxStatus:
    'observed_generation uint64, phase string, conditions ResourceCondition[], backend_id string, lease SandboxLease, processes SandboxProcessStatus[]',
  SandboxSpec: 'policy_ref string, class_ref ResourceRef, runtime_template SandboxRuntimeTemplateSpec',
  SessionSpec: 'agent string, labels map<string>',
  SessionStatus:
    'observed_generation uint64, phase string, conditions ResourceCondition[], created_at int64, last_active int64, acp_session_id string, sandbox_ref string',
  TaskSpec: 'title string, description string, type string, owner ResourceRef, delegate ResourceRef',
  TaskExecutionRef: 'kind string, namespace string, name string, session_id string, run_id string',
  TaskStatus:
    'observed_generation uint64, phase TaskPhase, conditions ResourceCondition[], progress_summary string, result_artifacts FileObjectRef[], created_at int64, updated_at int64, completed_at int64, expires_at int64, execution_ref TaskExecutionRef, output_artifact_uris string[]',
  UsageSelector: 'agent string, provider string, model string',
  UsageLimit: 'selector UsageSelector, metric string, max uint64, window string, subject_scope string',
  UsagePolicySpec: 'namespace_scope string, hard UsageLimit[]',
  UsageLimitStatus:
    'selector UsageSelector, metric string, max uint64, window string, window_start int64, reset_at int64, used uint64, remaining uint64, exceeded bool, subject_scope string',
  UsagePolicyStatus:
    'observed_generation uint64, phase string, conditions ResourceCondition[], hard UsageLimitStatus[]',
  WorkerEndpoint: 'url string, protocol string, audience string',
  WorkerStatus:
    'observed_generation uint64, phase string, conditions ResourceCondition[], started_at int64, heartbeat_at int64, expires_at int64, version string, endpoints WorkerEndpoint[]',
};

/** Consumers of connector events, svc.data. */
export const consumerShapes: Readonly<Record<string, string>> = {
  MessageConsumer:
    'session SessionMessageConsumer?, channel ChannelMessageConsumer?, workflow WorkflowMessageConsumer?',
  SessionMessageConsumer: 'agent ResourceRef, session_id string, continuity string, reply_mode string',
  ChannelMessageConsumer: 'channel ResourceRef, agent ResourceRef, continuity string, reply_policy string',
  WorkflowMessageConsumer: 'namespace string, name string, reply_mode string',
};

/** Messages of svc.external. */
export const connectorShapes: Readonly<Record<string, string>> = {
  RegisterClusterRequest:
    'cluster_id string, registration_id string, namespace string, connector_class string, callback_base_url string, callback_auth_kind string, callback_auth_key string',
  ConnectorDeliveryRequest:
    'delivery_id string, registration_id string, connector_class string, namespace string, connector_name string, match_fields map<string>, external_conversation_id string, external_thread_id string?, reply_to_external_message_id string?, text string, attachments data.ObjectRef[], labels map<string>',
  ConnectorMessageEvent:
    'event_id string, connector_class string, match_fields map<string>, external_conversation_id string, external_thread_id string?, external_message_id string, conversation_type string, sender data.Principal, text string, attachments data.ObjectRef[], event_time_ms int64, labels map<string>',
};

/** Members of the oneof `kind`: name, type in ResourceSpec, type in ResourceStatus. */
export const kindMembers: readonly (readonly [string, string, string])[] = [
  ['agent', 'AgentSpec', 'AgentStatus'],
  ['workflow', 'WorkflowSpec', 'WorkflowStatus'],
  ['schedule', 'ScheduleSpec', 'ScheduleStatus'],
  ['channel', 'ChannelSpec', 'ChannelStatus'],
  ['channel_subscription', 'ChannelSubscriptionSpec', 'CommonResourceStatus'],
  ['connector_class', 'ConnectorClassSpec', 'ConnectorClassStatus'],
  ['connector', 'ConnectorSpec', 'ConnectorStatus'],
  ['mcp_server', 'McpServerSpec', 'CommonResourceStatus'],
  ['knowledge', 'KnowledgeSpec', 'CommonResourceStatus'],
  ['namespace', 'NamespaceSpec', 'NamespaceStatus'],
  ['session', 'SessionSpec', 'SessionStatus'],
  ['skill', 'SkillSpec', 'CommonResourceStatus'],
  ['template', 'TemplateSpec', 'CommonResourceStatus'],
  ['deployment', 'DeploymentSpec', 'DeploymentStatus'],
  ['deployment_replica', 'DeploymentReplicaSpec', 'DeploymentReplicaStatus'],
  ['sandbox_class', 'SandboxClassSpec', 'CommonResourceStatus'],
  ['sandbox_policy', 'SandboxPolicySpec', 'CommonResourceStatus'],
  ['sandbox', 'SandboxSpec', 'SandboxStatus'],
  ['worker', 'WorkerSpec', 'WorkerStatus'],
  ['usage_policy', 'UsagePolicySpec', 'UsagePolicyStatus'],
  ['file', 'FileSpec', 'FileStatus'],
  ['task', 'TaskSpec', 'TaskStatus'],
  ['secret', 'SecretSpec', 'CommonResourceStatus'],
  ['raw', 'RawResourceSpec', 'RawResourceStatus'],
];

/** Full resources with the type of their status; all have metadata, spec and status. */
export const fullResources: Readonly<Record<string, string>> = {
  Agent: 'AgentStatus',
  McpServer: 'CommonResourceStatus',
  Knowledge: 'CommonResourceStatus',
  Namespace: 'NamespaceStatus',
  Channel: 'ChannelStatus',
  ChannelSubscription: 'CommonResourceStatus',
  ConnectorClass: 'ConnectorClassStatus',
  Connector: 'ConnectorStatus',
  File: 'FileStatus',
  Schedule: 'ScheduleStatus',
  Secret: 'CommonResourceStatus',
  Workflow: 'WorkflowStatus',
  Template: 'CommonResourceStatus',
  Deployment: 'DeploymentStatus',
  DeploymentReplica: 'DeploymentReplicaStatus',
  SandboxClass: 'CommonResourceStatus',
  SandboxPolicy: 'CommonResourceStatus',
  Sandbox: 'SandboxStatus',
  Session: 'SessionStatus',
  Skill: 'CommonResourceStatus',
  Task: 'TaskStatus',
  UsagePolicy: 'UsagePolicyStatus',
  Worker: 'WorkerStatus',
};
