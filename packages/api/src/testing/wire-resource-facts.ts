/**
 * The published messages, typed in by hand as data: number, name and type of every field. `?` after a type means
 * explicit presence, `[]` a list, `map<x>` a map from text to x; a name before a dot is the oneof.
 * Types without a package belong to the message's own. Keys leave out the leading `svc.`.
 */

/** Messages of svc.resources. */
export const resourceMessages: Readonly<Record<string, string>> = {
  'resources.OwnerReference':
    '1 api_version string, 2 kind string, 3 namespace string, 4 name string, 5 uid string, 6 controller bool, 7 block_owner_deletion bool',
  'resources.ResourceMeta':
    '1 name string, 2 namespace string, 3 labels map<string>, 4 annotations map<string>, 5 owner_references OwnerReference[], 6 finalizers string[], 7 generation uint64, 8 resource_version string, 9 uid string, 10 deletion_timestamp int64?',
  'resources.ResourceCondition':
    '1 type string, 2 status string, 3 reason string, 4 message string, 5 last_transition_time int64, 6 observed_generation uint64',
  'resources.CommonResourceStatus': '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[]',
  'resources.ResourceRef': '1 namespace string, 2 name string',
  'resources.NamespaceSelector': '1 parent string, 2 match_labels map<string>',
  'resources.Resource':
    '1 api_version string, 2 kind string, 3 metadata ResourceMeta, 4 spec ResourceSpec, 5 status ResourceStatus',
  'resources.ResourceManifest': '1 api_version string, 2 kind string, 3 metadata ResourceMeta, 4 spec ResourceSpec',
  'resources.RawResourceSpec': '1 json string',
  'resources.RawResourceStatus': '1 json string',
  'resources.ResourceSpec':
    '1 kind.agent AgentSpec, 2 kind.workflow WorkflowSpec, 3 kind.schedule ScheduleSpec, 4 kind.channel ChannelSpec, 5 kind.channel_subscription ChannelSubscriptionSpec, 6 kind.mcp_server McpServerSpec, 7 kind.mcp_server_binding McpServerBindingSpec, 8 kind.knowledge KnowledgeSpec, 9 kind.namespace NamespaceSpec, 10 kind.session SessionSpec, 11 kind.skill SkillSpec, 12 kind.connector_class ConnectorClassSpec, 13 kind.connector ConnectorSpec, 20 kind.template TemplateSpec, 21 kind.deployment DeploymentSpec, 22 kind.deployment_replica DeploymentReplicaSpec, 40 kind.sandbox_class SandboxClassSpec, 41 kind.sandbox_policy SandboxPolicySpec, 42 kind.sandbox SandboxSpec, 50 kind.worker WorkerSpec, 60 kind.usage_policy UsagePolicySpec, 70 kind.file FileSpec, 80 kind.task TaskSpec, 90 kind.secret SecretSpec, 1000 kind.raw RawResourceSpec',
  'resources.ResourceStatus':
    '1 kind.agent AgentStatus, 2 kind.workflow WorkflowStatus, 3 kind.schedule ScheduleStatus, 4 kind.channel ChannelStatus, 5 kind.channel_subscription CommonResourceStatus, 6 kind.mcp_server CommonResourceStatus, 7 kind.mcp_server_binding CommonResourceStatus, 8 kind.knowledge CommonResourceStatus, 9 kind.namespace NamespaceStatus, 10 kind.session SessionStatus, 11 kind.skill CommonResourceStatus, 12 kind.connector_class ConnectorClassStatus, 13 kind.connector ConnectorStatus, 20 kind.template CommonResourceStatus, 21 kind.deployment DeploymentStatus, 22 kind.deployment_replica DeploymentReplicaStatus, 40 kind.sandbox_class CommonResourceStatus, 41 kind.sandbox_policy CommonResourceStatus, 42 kind.sandbox SandboxStatus, 50 kind.worker WorkerStatus, 60 kind.usage_policy UsagePolicyStatus, 70 kind.file FileStatus, 80 kind.task TaskStatus, 90 kind.secret CommonResourceStatus, 1000 kind.raw RawResourceStatus',
  'resources.Agent': '1 metadata ResourceMeta, 2 spec AgentSpec, 3 status AgentStatus',
  'resources.McpServer': '1 metadata ResourceMeta, 2 spec McpServerSpec, 3 status CommonResourceStatus',
  'resources.McpServerBinding': '1 metadata ResourceMeta, 2 spec McpServerBindingSpec, 3 status CommonResourceStatus',
  'resources.Knowledge': '1 metadata ResourceMeta, 2 spec KnowledgeSpec, 3 status CommonResourceStatus',
  'resources.Namespace': '1 metadata ResourceMeta, 2 spec NamespaceSpec, 3 status NamespaceStatus',
  'resources.Channel': '1 metadata ResourceMeta, 2 spec ChannelSpec, 3 status ChannelStatus',
  'resources.ChannelSubscription':
    '1 metadata ResourceMeta, 2 spec ChannelSubscriptionSpec, 3 status CommonResourceStatus',
  'resources.ConnectorClass': '1 metadata ResourceMeta, 2 spec ConnectorClassSpec, 3 status ConnectorClassStatus',
  'resources.Connector': '1 metadata ResourceMeta, 2 spec ConnectorSpec, 3 status ConnectorStatus',
  'resources.File': '1 metadata ResourceMeta, 2 spec FileSpec, 3 status FileStatus',
  'resources.Schedule': '1 metadata ResourceMeta, 2 spec ScheduleSpec, 3 status ScheduleStatus',
  'resources.Secret': '1 metadata ResourceMeta, 2 spec SecretSpec, 3 status CommonResourceStatus',
  'resources.Workflow': '1 metadata ResourceMeta, 2 spec WorkflowSpec, 3 status WorkflowStatus',
  'resources.Template': '1 metadata ResourceMeta, 2 spec TemplateSpec, 3 status CommonResourceStatus',
  'resources.Deployment': '1 metadata ResourceMeta, 2 spec DeploymentSpec, 3 status DeploymentStatus',
  'resources.DeploymentReplica':
    '1 metadata ResourceMeta, 2 spec DeploymentReplicaSpec, 3 status DeploymentReplicaStatus',
  'resources.SandboxClass': '1 metadata ResourceMeta, 2 spec SandboxClassSpec, 3 status CommonResourceStatus',
  'resources.SandboxPolicy': '1 metadata ResourceMeta, 2 spec SandboxPolicySpec, 3 status CommonResourceStatus',
  'resources.Sandbox': '1 metadata ResourceMeta, 2 spec SandboxSpec, 3 status SandboxStatus',
  'resources.Session': '1 metadata ResourceMeta, 2 spec SessionSpec, 3 status SessionStatus',
  'resources.Skill': '1 metadata ResourceMeta, 2 spec SkillSpec, 3 status CommonResourceStatus',
  'resources.Task': '1 metadata ResourceMeta, 2 spec TaskSpec, 3 status TaskStatus',
  'resources.UsagePolicy': '1 metadata ResourceMeta, 2 spec UsagePolicySpec, 3 status UsagePolicyStatus',
  'resources.Worker': '1 metadata ResourceMeta, 2 spec WorkerSpec, 3 status WorkerStatus',
  'resources.AgentSpec':
    '1 features Feature[], 2 model_policy ModelPolicy, 3 system_prompt string, 4 mcp_server_refs string[], 5 post_history_prompt string, 6 capabilities map<google.protobuf.ListValue>, 7 a2a A2A, 8 runtime AgentRuntime',
  'resources.AgentStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 last_session_id string?',
  'resources.AgentRuntime': '1 kind string, 2 acp AcpRuntime',
  'resources.AcpRuntime':
    '1 harness_ref string, 2 command string, 3 args string[], 4 cwd string, 5 sandbox_policy_ref string, 6 persist_session bool, 7 env map<string>, 8 permission_policy map<string>',
  'resources.Feature': '1 name string, 2 type string, 3 required bool',
  'resources.Model': '1 provider string, 2 name string, 3 temperature float?, 4 thinking ThinkingConfig',
  'resources.ThinkingConfig': '1 enabled bool?, 2 budget_tokens uint32?, 3 effort string',
  'resources.ModelProfile': '1 name string, 2 model Model',
  'resources.ModelPolicy': '1 profiles ModelProfile[]',
  'resources.A2A': '1 connections Connection[], 2 agent_card AgentCard',
  'resources.Connection':
    '1 name string, 2 description string, 3 target ConnectionRef, 4 input_modes string[], 5 output_modes string[], 6 timeout_seconds uint32, 7 max_depth uint32, 8 auth ConnectionAuth',
  'resources.ConnectionRef': '1 internal InternalConnectionRef?, 2 external ExternalConnectionRef?',
  'resources.InternalConnectionRef': '1 namespace string, 2 agent string',
  'resources.ExternalConnectionRef': '1 agent_card_url string',
  'resources.ConnectionAuth': '1 kind string, 2 secret_ref string',
  'resources.AgentCard':
    '1 name string, 2 description string, 3 version string, 4 capabilities AgentCardCapabilities, 5 default_input_modes string[], 6 default_output_modes string[], 7 skills AgentCardSkill[]',
  'resources.AgentCardCapabilities': '1 streaming bool, 2 push_notifications bool, 3 extended_agent_card bool',
  'resources.AgentCardSkill':
    '1 id string, 2 name string, 3 description string, 4 tags string[], 5 examples string[], 6 input_modes string[], 7 output_modes string[]',
  'resources.McpServerSpec':
    '1 transport string, 2 target string, 3 args string[], 4 headers map<string>, 5 disabled bool, 6 auth_broker McpAuthBrokerSpec, 7 policy McpServerPolicy',
  'resources.McpServerBindingSpec':
    '1 server_ref string, 2 args string[], 3 headers map<string>, 4 disabled bool, 5 auth_broker McpAuthBrokerSpec, 6 policy McpServerPolicy',
  'resources.McpAuthBrokerSpec': '1 kind string, 2 url string, 3 cache_ttl_seconds int32, 4 audience string',
  'resources.McpServerPolicy': '1 tools McpToolPolicy',
  'resources.McpToolPolicy': '1 allowlist string[]',
  'resources.KnowledgeSpec': '1 path string, 2 content string',
  'resources.SkillSpec': '1 description string, 2 instructions string',
  'resources.NamespaceSpec': '1 parent string',
  'resources.NamespaceStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 is_deleted bool, 5 deleted_at int64',
  'resources.ChannelSpec': '1 title string, 2 metadata map<string>',
  'resources.ChannelStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 created_at int64, 5 updated_at int64',
  'resources.ChannelContextPolicy': '1 mode string, 2 max_messages uint32',
  'resources.ChannelSubscriptionSpec':
    '1 channel string, 2 agent string, 3 enabled bool?, 4 trigger string, 5 context_policy ChannelContextPolicy, 6 reply_mode string, 7 metadata map<string>',
  'resources.ConnectorClassRuntimeSpec': '1 kind string, 2 endpoint string',
  'resources.ConnectorClassAuthSpec': '1 kind string, 2 api_key ConnectorSecretRef',
  'resources.ConnectorSecretRef': '1 plain string?, 2 env string?',
  'resources.ConnectorMatchIndex': '1 name string, 2 fields string[]',
  'resources.ConnectorClassSpec':
    '1 platform string, 2 runtime ConnectorClassRuntimeSpec, 3 auth ConnectorClassAuthSpec, 4 match_indexes ConnectorMatchIndex[]',
  'resources.ConnectorClassStatus': '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[]',
  'resources.ConnectorSpec':
    '1 class_ref ResourceRef, 2 enabled bool?, 3 match_fields map<string>, 4 consumer data.MessageConsumer',
  'resources.ConnectorStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 compiled_route_ids string[]',
  'resources.FileSpec':
    '1 path string, 2 media_type string, 3 purpose FilePurpose, 4 index_policy FileIndexPolicy, 5 retention FileRetention',
  'resources.FileStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 object_ref FileObjectRef, 5 updated_at int64, 6 pending_upload PendingFileUpload',
  'resources.FileObjectRef':
    '1 key string, 2 media_type string, 3 size_bytes uint64, 4 sha256 string, 5 filename string, 6 metadata map<string>',
  'resources.PendingFileUpload':
    '1 id string, 2 object_key string, 3 expected_size_bytes uint64, 4 expected_sha256 string, 5 required_headers map<string>, 6 created_by_agent string, 7 created_by_session_id string, 8 expires_at int64, 9 created_at int64',
  'resources.ScheduleTarget': '1 agent string, 2 session_mode string, 3 session_id string, 4 workflow string',
  'resources.ScheduleSpec':
    '1 kind string, 2 cron string, 3 interval_seconds uint32, 4 run_at string, 5 timezone string, 6 target ScheduleTarget, 7 input_message string, 8 enabled bool?, 9 input_json string',
  'resources.ScheduleStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 revision uint64, 5 next_run_at int64?, 6 backend_handle string?, 7 backend_armed bool, 8 last_run_at int64?, 9 last_session_id string?, 10 last_error string?, 11 claimed_run_at int64?, 12 claim_expires_at int64?, 13 recent_events ScheduleEvent[]',
  'resources.ScheduleEvent': '1 timestamp int64, 2 phase string, 3 outcome string, 4 detail string',
  'resources.SecretSpec': '1 type string, 2 data map<string>, 3 string_data map<string>',
  'resources.WorkflowStepOutputPolicy': '1 format string, 2 schema_json string',
  'resources.WorkflowStepRetryPolicy':
    '1 max_attempts uint32, 2 initial_backoff_seconds int64, 3 max_backoff_seconds int64, 4 multiplier double',
  'resources.WorkflowStep':
    '1 id string, 2 type string, 3 after string[], 4 when_json string, 5 agent string, 6 prompt string, 7 tool string, 8 input_json string, 9 workflow string, 10 output WorkflowStepOutputPolicy, 11 resume_schema_json string, 12 retry WorkflowStepRetryPolicy, 13 timeout string, 14 wait_duration string, 15 wait_until string',
  'resources.WorkflowSpec':
    '1 description string, 2 input_schema_json string, 3 output_schema_json string, 4 steps WorkflowStep[], 5 output_json string, 6 concurrency uint32',
  'resources.WorkflowStatus': '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[]',
  'resources.TemplateSpec': '1 kind string, 2 metadata ResourceMeta, 3 spec_json string',
  'resources.DeploymentPlacement': '1 namespace_selector NamespaceSelector',
  'resources.DeploymentSpec': '1 placement DeploymentPlacement, 2 templates string[]',
  'resources.DeploymentStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 replicas ResourceRef[], 5 replica_counts DeploymentReplicaCounts, 6 template_versions string[]',
  'resources.DeploymentReplicaCounts':
    '1 desired uint64, 2 updated uint64, 3 ready uint64, 4 pending uint64, 5 degraded uint64',
  'resources.DeploymentReplicaSpec': '1 deployment_ref ResourceRef, 2 target_namespace string',
  'resources.DeploymentReplicaStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 rendered_resources string[], 5 rendered_hashes map<string>, 6 conflicts string[], 7 last_rendered_json map<string>, 8 owned_json_pointers string[]',
  'resources.SandboxClassSpec': '1 provider string, 2 provider_config_json string, 3 credentials_json string',
  'resources.SandboxWorkspaceSpec': '1 mode string, 2 mount_path string',
  'resources.SandboxSetupSpec': '1 packages string[], 2 commands string[]',
  'resources.SandboxNetworkSpec': '1 mode string',
  'resources.SandboxFilesystemSpec': '1 writable string[], 2 readonly string[]',
  'resources.SandboxLeasePolicySpec': '1 mode string',
  'resources.SandboxRuntimeTemplateSpec':
    '1 image string, 2 workspace SandboxWorkspaceSpec, 3 setup SandboxSetupSpec, 4 network SandboxNetworkSpec, 5 filesystem SandboxFilesystemSpec, 6 lease_policy SandboxLeasePolicySpec',
  'resources.SandboxPolicySpec':
    '1 class_ref ResourceRef, 2 template SandboxRuntimeTemplateSpec, 3 max_concurrent uint32',
  'resources.SandboxLease':
    '1 owner_kind string, 2 owner_agent string, 3 owner_session_id string, 4 token string, 5 acquired_at int64, 6 expires_at int64, 7 heartbeat_at int64',
  'resources.SandboxProcessStatus': '1 id string, 2 command string, 3 args string[], 4 protocol string, 5 phase string',
  'resources.SandboxStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 backend_id string, 5 lease SandboxLease, 6 processes SandboxProcessStatus[]',
  'resources.SandboxSpec':
    '1 policy_ref string, 2 class_ref ResourceRef, 3 runtime_template SandboxRuntimeTemplateSpec',
  'resources.SessionSpec': '1 agent string, 2 labels map<string>',
  'resources.SessionStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 created_at int64, 5 last_active int64, 6 acp_session_id string, 7 sandbox_ref string',
  'resources.TaskSpec':
    '1 title string, 2 description string, 3 type string, 4 owner ResourceRef, 5 delegate ResourceRef',
  'resources.TaskExecutionRef':
    '1 kind string, 2 namespace string, 3 name string, 4 session_id string, 5 run_id string',
  'resources.TaskStatus':
    '1 observed_generation uint64, 2 phase TaskPhase, 3 conditions ResourceCondition[], 4 progress_summary string, 5 result_artifacts FileObjectRef[], 6 created_at int64, 7 updated_at int64, 8 completed_at int64, 9 expires_at int64, 10 execution_ref TaskExecutionRef, 11 output_artifact_uris string[]',
  'resources.UsageSelector': '1 agent string, 2 provider string, 3 model string',
  'resources.UsageLimit':
    '1 selector UsageSelector, 2 metric string, 3 max uint64, 4 window string, 5 subject_scope string',
  'resources.UsagePolicySpec': '1 namespace_scope string, 2 hard UsageLimit[]',
  'resources.UsageLimitStatus':
    '1 selector UsageSelector, 2 metric string, 3 max uint64, 4 window string, 5 window_start int64, 6 reset_at int64, 7 used uint64, 8 remaining uint64, 9 exceeded bool, 10 subject_scope string, 11 raises UsageRaise[]',
  'resources.UsageRaise': '1 identity string, 2 amount uint64, 3 until int64, 4 decided_by string',
  'resources.UsagePolicyStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 hard UsageLimitStatus[]',
  'resources.WorkerSpec': '',
  'resources.WorkerEndpoint': '1 url string, 2 protocol string, 3 audience string',
  'resources.WorkerStatus':
    '1 observed_generation uint64, 2 phase string, 3 conditions ResourceCondition[], 4 started_at int64, 5 heartbeat_at int64, 6 expires_at int64, 7 version string, 8 endpoints WorkerEndpoint[]',
};
