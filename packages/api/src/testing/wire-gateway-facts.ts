/**
 * The published messages, typed in by hand as data: number, name and type of every field. `?` after a type means
 * explicit presence, `[]` a list, `map<x>` a map from text to x; a name before a dot is the oneof.
 * Types without a package belong to the message's own. Keys leave out the leading `svc.`.
 */

/** Messages of svc.gateway. */
export const gatewayMessages: Readonly<Record<string, string>> = {
  'gateway.CreateAgentRequest':
    '1 ns string, 2 name string?, 3 spec resources.AgentSpec, 4 labels map<string>, 5 annotations map<string>, 6 template string',
  'gateway.AgentResponse': '1 agent resources.Agent',
  'gateway.GetAgentRequest': '1 ns string, 2 name string',
  'gateway.GetAgentResponse': '1 agent resources.Agent',
  'gateway.ModifyAgentRequest':
    '1 agent string, 2 ns string, 3 spec resources.AgentSpec, 4 labels map<string>, 5 annotations map<string>, 6 template string, 7 resource_version string, 8 update_mask google.protobuf.FieldMask',
  'gateway.ListAgentsRequest':
    '1 ns string, 2 page_size int32, 3 page_token string, 4 label_selector string, 5 metadata_only bool',
  'gateway.ListAgentsResponse': '1 agents resources.Agent[], 2 next_page_token string',
  'gateway.GetKnowledgeRequest': '1 agent string, 2 ns string, 3 path string?, 4 page_size int32, 5 page_token string',
  'gateway.KnowledgeResponse': '1 modules data.KnowledgeModule[], 2 next_page_token string',
  'gateway.SearchKnowledgeRequest': '1 agent string, 2 ns string, 3 query string, 4 limit int32',
  'gateway.SearchKnowledgeResponse': '1 results data.KnowledgeSearchResult[]',
  'gateway.CreateNamespaceKnowledgeRequest': '1 ns string, 2 knowledge resources.Knowledge',
  'gateway.GetNamespaceKnowledgeRequest': '1 ns string, 2 name string',
  'gateway.ListNamespaceKnowledgeRequest':
    '1 ns string, 2 page_size int32, 3 page_token string, 4 label_selector string, 5 metadata_only bool',
  'gateway.DeleteNamespaceKnowledgeRequest': '1 ns string, 2 name string',
  'gateway.NamespaceKnowledgeResponse': '1 knowledge resources.Knowledge',
  'gateway.ListNamespaceKnowledgeResponse': '1 knowledge resources.Knowledge[], 2 next_page_token string',
  'gateway.DeleteNamespaceKnowledgeResponse': '1 success bool',
  'gateway.CreateSessionRequest':
    '1 agent string, 2 ns string, 3 labels map<string>, 4 keep_id string, 5 overrides data.SessionOverrides',
  'gateway.GetSessionRequest': '1 session_id string, 2 agent string, 3 ns string, 4 message_limit int32',
  'gateway.SessionResponse':
    '1 session_id string, 2 agent string, 3 state string, 4 messages data.SessionMessage[], 6 labels map<string>, 7 session resources.Session, 8 active_turn_id string, 9 queued_turns uint32, 10 context_tokens data.TokenCounter, 11 stream_cursor string, 12 total_usage data.TokenCounter, 13 overrides data.SessionOverrides',
  'gateway.ListSessionMessagesRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 page_size int32, 5 before_message_id string?',
  'gateway.ListSessionMessagesResponseItem': '1 message data.SessionMessage',
  'gateway.ListSessionMessagesResponse':
    '1 session_id string, 2 agent string, 3 state string, 4 items ListSessionMessagesResponseItem[], 5 has_more bool, 6 next_before_message_id string?, 7 stream_cursor string',
  'gateway.ListSessionsRequest':
    '1 agent string, 2 ns string, 3 page_size int32, 4 page_token string, 5 label_selector string',
  'gateway.SessionListItem':
    '1 session_id string, 2 updated_at int64, 3 labels map<string>, 4 state string, 5 created_at int64',
  'gateway.ListSessionsResponse': '1 session_ids string[], 2 sessions SessionListItem[], 3 next_page_token string',
  'gateway.DeleteSessionRequest': '1 session_id string, 2 agent string, 3 ns string',
  'gateway.DeleteSessionResponse': '1 success bool',
  'gateway.ClearSessionRequest': '1 session_id string, 2 agent string, 3 ns string, 4 stop bool',
  'gateway.ClearSessionResponse': '1 success bool',
  'gateway.SendMessageRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 message string, 5 labels map<string>, 6 when_busy WhenBusy, 7 wait_seconds uint32?, 8 parts data.SessionMessagePart[]',
  'gateway.SendMessageResponse':
    '1 reply string, 4 session_id string, 5 message_id string, 6 turn_id string, 7 reply_message_id string, 8 turn_state data.TurnState, 9 error string, 10 error_reason string, 11 error_metadata map<string>',
  'gateway.AppendSessionMessageRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 message data.SessionMessage',
  'gateway.AppendSessionMessageResponse': '1 session_id string, 2 message data.SessionMessage',
  'gateway.StopSessionGenerationRequest': '1 session_id string, 2 agent string, 3 ns string, 4 turn_id string',
  'gateway.StopSessionGenerationResponse': '1 success bool, 2 stopped_turn_ids string[]',
  'gateway.StreamSessionPartsRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 after string, 5 until_done bool, 6 turn_id string',
  'gateway.StreamSessionPartsBatchRequest':
    '1 session_names string[], 2 after map<string>, 3 until_done bool, 4 sessions SessionKey[]',
  'gateway.SessionKey': '1 ns string, 2 agent string, 3 session_id string',
  'gateway.UpdateSessionMessageRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 message_id string, 5 labels map<string>, 6 parts data.SessionMessagePart[]',
  'gateway.UpdateSessionMessageResponse': '1 session_id string, 2 message data.SessionMessage',
  'gateway.AnswerPermissionRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 request_id string, 5 decision data.PermissionDecision, 6 option_id string, 7 comment string, 8 answer_json string',
  'gateway.AnswerPermissionResponse': '1 request data.PermissionRequest',
  'gateway.CreateAnswerLinkRequest': '1 session_id string, 2 agent string, 3 ns string, 4 request_id string',
  'gateway.CreateAnswerLinkResponse': '1 url string, 2 expires_at int64',
  'gateway.ListMemoryRequest': '1 ns string, 2 identity string, 3 page_size int32, 4 page_token string',
  'gateway.ListMemoryResponse': '1 files resources.File[], 2 next_page_token string',
  'gateway.ForgetMemoryRequest': '1 ns string, 2 identity string',
  'gateway.ForgetMemoryResponse': '1 removed int32',
  'gateway.CompactSessionRequest': '1 session_id string, 2 agent string, 3 ns string',
  'gateway.CompactSessionResponse': '',
  'gateway.ForkSessionRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 through_message_id string, 5 labels map<string>, 6 overrides data.SessionOverrides',
  'gateway.ListTurnsRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 page_size int32, 5 page_token string, 6 state data.TurnState',
  'gateway.ListTurnsResponse': '1 turns data.Turn[], 2 next_page_token string',
  'gateway.GetTurnRequest': '1 session_id string, 2 agent string, 3 ns string, 4 turn_id string',
  'gateway.TurnResponse': '1 turn data.Turn',
  'gateway.ListStepsRequest': '1 session_id string, 2 agent string, 3 ns string, 4 turn_id string',
  'gateway.ListStepsResponse': '1 steps data.Step[], 2 usage data.TokenCounter, 3 model_ms uint64',
  'gateway.GetStepRequestRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 turn_id string, 5 step uint32, 6 page_size int32, 7 page_token string, 8 include_body bool, 9 compaction uint32',
  'gateway.GetStepRequestResponse':
    '1 step data.Step, 2 state data.StepRequestState, 3 reason string, 4 explanation string, 5 rebuilt_sha256 string, 6 pieces data.StepPiece[], 7 omissions data.StepOmission[], 8 next_page_token string, 9 tokens uint64, 10 body string, 11 body_omitted bool',
  'gateway.CheckMcpServerRequest': '1 ns string, 2 server string, 3 identity string',
  'gateway.CheckMcpServerResponse':
    '1 reachable bool, 2 reason string, 3 message string, 4 protocol string, 5 server_name string, 6 server_version string, 7 tools McpServerTool[], 8 tool_count int32, 9 missing_tools string[], 10 took_ms int64',
  'gateway.McpServerTool':
    '1 name string, 2 title string, 3 description string, 4 input_schema_json string, 5 allowed bool, 6 agent_name string, 7 read_only bool, 8 destructive bool?, 9 idempotent bool?, 10 open_world bool?',
  'gateway.ListAgentToolsRequest': '1 ns string, 2 agent string',
  'gateway.ListAgentToolsResponse': '1 tools AgentTool[], 2 missing MissingTool[]',
  'gateway.AgentTool':
    '1 name string, 2 description string, 3 input_schema_json string, 4 effect string, 5 approval string, 6 capability string, 7 needs_turn bool',
  'gateway.MissingTool': '1 name string, 2 kind string, 3 reason string, 4 message string',
  'gateway.TryToolRequest':
    '1 ns string, 2 agent string, 3 tool string, 4 arguments_json string, 5 confirm bool, 6 wait_seconds int32',
  'gateway.TryToolResponse':
    '1 ok bool, 2 content ToolResultPart[], 3 structured_json string, 4 failure_code string, 5 error string, 6 sign_in_url string, 7 took_ms int64, 8 truncated bool, 9 call_id string',
  'gateway.ToolResultPart': '1 text string, 2 media_type string, 3 filename string, 4 data bytes, 5 size_bytes int64',
  'gateway.ExplainMessageEventRequest': '1 ns string, 2 connector string, 3 event external.ConnectorMessageEvent',
  'gateway.ExplainMessageEventResponse':
    '1 status external.ConnectorMessageEventStatus, 2 reason string, 3 explanation string, 4 ns string, 5 connector string, 6 consumer data.MessageConsumer, 7 session string, 8 answers_request bool, 9 routes data.RouteVerdict[], 10 routes_truncated bool, 11 subscriptions data.SubscriptionVerdict[]',
  'gateway.ExplainChannelMessageRequest':
    '1 ns string, 2 channel string, 3 author_kind string, 4 author string, 5 content string, 6 subscription_names string[], 7 labels map<string>, 8 attachments data.ObjectRef[], 9 hops uint32',
  'gateway.ExplainChannelMessageResponse': '1 subscriptions data.SubscriptionVerdict[]',
  'gateway.GetMessageTrailRequest': '1 ns string, 2 id string',
  'gateway.GetMessageTrailResponse': '1 entries data.TrailEntry[], 2 truncated bool',
  'gateway.ListPermissionRequestsRequest':
    '1 ns string, 2 recursive bool, 3 page_size int32, 4 page_token string, 5 kind string, 6 agent string, 7 identity string',
  'gateway.ListPermissionRequestsResponse': '1 requests data.PermissionRequest[], 2 next_page_token string',
  'gateway.ListWorkerClaimsRequest': '1 name string, 2 page_size int32, 3 page_token string',
  'gateway.ListWorkerClaimsResponse': '1 claims WorkerClaim[], 2 next_page_token string',
  'gateway.WorkerClaim':
    '1 kind string, 2 id string, 3 ns string, 4 name string, 5 agent string, 6 session_id string, 7 state string, 8 since int64, 9 until int64, 10 tries uint32',
  'gateway.ExecSandboxRequest':
    '1 ns string, 2 name string, 3 argv string[], 4 command string, 5 cwd string, 6 time_limit_ms uint32',
  'gateway.ExecSandboxResponse':
    '1 exit_code int32, 2 stdout string, 3 stderr string, 4 output_cut bool, 5 ended_by string',
  'gateway.SearchSessionsRequest':
    '1 ns string, 2 agent string, 3 query string, 4 page_size int32, 5 page_token string',
  'gateway.SearchSessionsResponse': '1 hits data.SessionHit[], 2 next_page_token string',
  'gateway.CreateScheduleRequest': '1 ns string, 2 schedule resources.Schedule',
  'gateway.GetScheduleRequest': '1 ns string, 2 name string, 3 preview uint32',
  'gateway.ModifyScheduleRequest': '1 ns string, 2 name string, 3 schedule resources.Schedule',
  'gateway.ListSchedulesRequest':
    '1 ns string, 2 page_size int32, 3 page_token string, 4 label_selector string, 5 metadata_only bool',
  'gateway.ListSchedulesResponse': '1 schedules resources.Schedule[], 2 next_page_token string',
  'gateway.DeleteScheduleRequest': '1 ns string, 2 name string',
  'gateway.DeleteScheduleResponse': '1 success bool',
  'gateway.ScheduleResponse': '1 schedule resources.Schedule, 2 next_runs int64[]',
  'gateway.RunScheduleRequest': '1 ns string, 2 name string',
  'gateway.RunScheduleResponse': '1 session_id string, 2 turn_id string, 3 run_id string',
  'gateway.CreateNamespaceRequest':
    '1 name string, 2 recursive bool, 3 labels map<string>, 4 annotations map<string>, 5 parent string',
  'gateway.GetNamespaceRequest': '1 name string',
  'gateway.DeleteNamespaceRequest': '1 name string, 2 purge bool',
  'gateway.ListNamespacesRequest':
    '1 parent string?, 2 page_size int32, 3 page_token string, 4 label_selector string, 5 metadata_only bool, 6 recursive bool, 7 include_deleted bool',
  'gateway.NamespaceResponse': '1 namespace resources.Namespace',
  'gateway.ListNamespacesResponse': '1 namespaces resources.Namespace[], 2 next_page_token string',
  'gateway.CreateAgentTemplateRequest': '1 template resources.Template',
  'gateway.GetAgentTemplateRequest': '1 name string',
  'gateway.ListAgentTemplatesRequest':
    '1 page_size int32, 2 page_token string, 3 label_selector string, 4 metadata_only bool',
  'gateway.ListAgentTemplatesResponse': '1 templates resources.Template[], 2 next_page_token string',
  'gateway.DeleteAgentTemplateRequest': '1 name string',
  'gateway.DeleteAgentTemplateResponse': '1 success bool',
  'gateway.AgentTemplateResponse': '1 template resources.Template',
  'gateway.CreateMcpServerRequest': '1 server resources.McpServer',
  'gateway.GetMcpServerRequest': '1 name string',
  'gateway.ListMcpServersRequest':
    '1 page_size int32, 2 page_token string, 3 label_selector string, 4 metadata_only bool',
  'gateway.ListMcpServersResponse': '1 servers resources.McpServer[], 2 next_page_token string',
  'gateway.DeleteMcpServerRequest': '1 name string',
  'gateway.DeleteMcpServerResponse': '1 success bool',
  'gateway.McpServerResponse': '1 server resources.McpServer',
  'gateway.CreateMcpServerBindingRequest': '1 ns string, 2 binding resources.McpServerBinding',
  'gateway.GetMcpServerBindingRequest': '1 ns string, 2 name string',
  'gateway.ListMcpServerBindingsRequest':
    '1 ns string, 2 page_size int32, 3 page_token string, 4 label_selector string, 5 metadata_only bool',
  'gateway.ListMcpServerBindingsResponse': '1 bindings resources.McpServerBinding[], 2 next_page_token string',
  'gateway.DeleteMcpServerBindingRequest': '1 ns string, 2 name string',
  'gateway.DeleteMcpServerBindingResponse': '1 success bool',
  'gateway.McpServerBindingResponse': '1 binding resources.McpServerBinding',
  'gateway.CreateChannelRequest': '1 ns string, 2 channel resources.Channel',
  'gateway.GetChannelRequest': '1 ns string, 2 name string',
  'gateway.ModifyChannelRequest': '1 ns string, 2 name string, 3 channel resources.Channel',
  'gateway.ListChannelsRequest':
    '1 ns string, 2 page_size int32, 3 page_token string, 4 label_selector string, 5 metadata_only bool',
  'gateway.ListChannelsResponse': '1 channels resources.Channel[], 2 next_page_token string',
  'gateway.DeleteChannelRequest': '1 ns string, 2 name string',
  'gateway.DeleteChannelResponse': '1 success bool',
  'gateway.ChannelResponse': '1 channel resources.Channel',
  'gateway.PostChannelMessageRequest':
    '1 ns string, 2 channel string, 3 author_kind string, 4 author string, 5 content string, 6 subscription_names string[], 7 labels map<string>, 8 attachments data.ObjectRef[]',
  'gateway.RoutedChannelSession':
    '1 subscription string, 2 agent string, 3 session_id string, 4 error string, 5 turn_id string',
  'gateway.PostChannelMessageResponse': '1 message data.ChannelMessage, 2 routed_sessions RoutedChannelSession[]',
  'gateway.GetChannelMessageRequest': '1 ns string, 2 channel string, 3 message_id string',
  'gateway.ChannelMessageResponse': '1 message data.ChannelMessage',
  'gateway.ListChannelMessagesRequest':
    '1 ns string, 2 channel string, 3 limit int32, 4 page_size int32, 5 before_message_id string?',
  'gateway.ListChannelMessagesResponse':
    '1 messages data.ChannelMessage[], 2 has_more bool, 3 next_before_message_id string?',
  'gateway.CreateChannelSubscriptionRequest':
    '1 ns string, 2 channel string, 3 subscription resources.ChannelSubscription',
  'gateway.GetChannelSubscriptionRequest': '1 ns string, 2 channel string, 3 name string',
  'gateway.ModifyChannelSubscriptionRequest':
    '1 ns string, 2 channel string, 3 name string, 4 subscription resources.ChannelSubscription',
  'gateway.ListChannelSubscriptionsRequest':
    '1 ns string, 2 channel string, 3 page_size int32, 4 page_token string, 5 label_selector string, 6 metadata_only bool',
  'gateway.ListChannelSubscriptionsResponse':
    '1 subscriptions resources.ChannelSubscription[], 2 next_page_token string',
  'gateway.DeleteChannelSubscriptionRequest': '1 ns string, 2 channel string, 3 name string',
  'gateway.DeleteChannelSubscriptionResponse': '1 success bool',
  'gateway.ChannelSubscriptionResponse': '1 subscription resources.ChannelSubscription',
  'gateway.StreamChannelEventsRequest': '1 ns string, 2 channel string, 3 after string',
  'gateway.ApplyResourceRequest':
    '1 ns string, 2 kind string, 3 name string, 4 manifest resources.ResourceManifest, 5 dry_run bool, 6 create_namespace bool, 7 parent string',
  'gateway.ApplyResourceResponse':
    '1 resource resources.Resource, 2 outcome ApplyOutcome, 3 field_errors FieldError[], 4 changed_paths string[]',
  'gateway.FieldError': '1 field string, 2 description string, 3 reason string, 4 line uint32, 5 column uint32',
  'gateway.ApplyManifestsRequest':
    '1 manifests resources.ResourceManifest[], 2 text string, 3 ns string, 4 manager string, 5 force bool, 6 dry_run bool, 7 atomic bool?, 8 keep_going bool, 9 create_namespaces bool?, 10 apply_set string, 11 prune bool, 12 prune_namespaces bool, 13 allow_empty bool, 14 keep_uids bool',
  'gateway.ApplyManifestsResponse': '1 results ApplyManifestResult[]',
  'gateway.ApplyManifestResult':
    '1 kind string, 2 ns string, 3 name string, 4 outcome ApplyOutcome, 5 field_errors FieldError[], 6 resource resources.Resource, 7 changed_paths string[]',
  'gateway.GetResourceRequest': '1 ns string, 2 kind string, 3 name string, 4 parent string',
  'gateway.ResourceResponse': '1 resource resources.Resource',
  'gateway.ListResourcesRequest':
    '1 ns string, 2 kind string, 3 recursive bool, 4 label_selector string, 5 page_size int32, 6 page_token string, 7 metadata_only bool, 8 parent string',
  'gateway.ListResourcesResponse':
    '1 resources resources.Resource[], 2 next_page_token string, 3 resource_version string',
  'gateway.DeleteResourceRequest':
    '1 ns string, 2 kind string, 3 name string, 4 parent string, 5 resource_version string, 6 propagation DeletePropagation, 7 force bool',
  'gateway.DeleteResourceResponse': '1 resource resources.Resource, 2 pending bool',
  'gateway.WatchResourcesRequest':
    '1 ns string, 2 kinds string[], 3 recursive bool, 4 label_selector string, 5 resource_version string',
  'gateway.CreateRunRequest':
    '1 ns string, 2 workflow string, 3 input_json string, 4 labels map<string>, 5 wait_seconds uint32?',
  'gateway.GetRunRequest': '1 ns string, 2 workflow string, 3 run_id string',
  'gateway.ListRunsRequest':
    '1 ns string, 2 workflow string, 3 page_size int32, 4 page_token string, 5 status string, 6 label_selector string',
  'gateway.ResumeRunRequest': '1 ns string, 2 workflow string, 3 run_id string, 4 step_id string, 5 resume_json string',
  'gateway.CancelRunRequest': '1 ns string, 2 workflow string, 3 run_id string, 4 reason string',
  'gateway.StreamRunEventsRequest': '1 ns string, 2 workflow string, 3 run_id string, 4 after string',
  'gateway.RunResponse': '1 run data.WorkflowRun, 2 steps data.WorkflowStepRun[]',
  'gateway.ListRunsResponse': '1 runs data.WorkflowRun[], 2 next_page_token string',
  'gateway.UpdateTaskRequest':
    '1 ns string, 2 name string, 3 phase resources.TaskPhase, 4 progress_summary string, 5 resource_version string',
  'gateway.TaskResponse': '1 task resources.Task',
  'gateway.ReportUsageRequest':
    '1 ns string, 2 by string, 3 recursive bool, 4 since int64?, 5 until int64?, 6 agent string, 7 model string, 8 identity string, 9 limit int32',
  'gateway.ReportUsageResponse': '1 rows UsageRow[], 2 total UsageRow',
  'gateway.UsageRow':
    '1 name string, 2 requests uint64, 3 input_tokens uint64, 4 cached_input_tokens uint64, 5 cache_write_tokens uint64, 6 output_tokens uint64, 7 reasoning_tokens uint64, 8 total_tokens uint64, 9 cost_micros uint64, 10 unpriced_requests uint64',
  'gateway.McpGrant':
    '1 ns string, 2 server string, 3 server_ns string, 4 identity string, 5 issuer string, 6 scope string, 7 signed_in_at int64, 8 refreshed_at int64, 9 expires_at int64',
  'gateway.ListMcpGrantsRequest':
    '1 ns string, 2 server string, 3 identity string, 4 page_size int32, 5 page_token string',
  'gateway.ListMcpGrantsResponse': '1 grants McpGrant[], 2 next_page_token string',
  'gateway.StartMcpSignInRequest': '1 ns string, 2 server string',
  'gateway.StartMcpSignInResponse': '1 url string, 2 expires_at int64, 3 grant McpGrant, 4 server string',
  'gateway.RevokeMcpGrantRequest': '1 ns string, 2 server string, 3 identity string, 4 shared bool',
  'gateway.RevokeMcpGrantResponse': '1 success bool',
  'gateway.CreateFileRequest': '1 ns string, 2 file resources.File, 3 content bytes, 4 filename string',
  'gateway.UpdateFileRequest': '1 ns string, 2 name string, 3 file resources.File, 4 content bytes?, 5 filename string',
  'gateway.PrepareUploadRequest':
    '1 ns string, 2 file resources.File, 3 size_bytes uint64, 4 sha256 string, 5 filename string',
  'gateway.PrepareUploadResponse':
    '1 file resources.File, 2 upload_id string, 3 method string, 4 url string, 5 headers map<string>, 6 expires_at int64',
  'gateway.CompleteUploadRequest': '1 ns string, 2 name string, 3 upload_id string',
  'gateway.ReadFileRequest': '1 ns string, 2 name string, 3 content ContentMode',
  'gateway.ReadFileResponse': '1 file resources.File, 2 content bytes, 3 download_url string, 4 expires_at int64',
  'gateway.ListFilesRequest':
    '1 ns string, 2 path_prefix string, 3 page_size int32, 4 page_token string, 5 label_selector string, 6 purpose resources.FilePurpose, 7 metadata_only bool',
  'gateway.ListFilesResponse': '1 files resources.File[], 2 next_page_token string',
  'gateway.DeleteFileRequest': '1 ns string, 2 name string, 3 resource_version string',
  'gateway.DeleteFileResponse': '1 success bool',
  'gateway.FileResponse': '1 file resources.File',
  'gateway.ListArtifactsRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 page_size int32, 5 page_token string',
  'gateway.ListArtifactsResponse': '1 artifacts data.Artifact[], 2 next_page_token string',
  'gateway.ReadArtifactRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 artifact_id string, 5 content ContentMode',
  'gateway.ReadArtifactResponse':
    '1 artifact data.Artifact, 2 content bytes, 3 download_url string, 4 expires_at int64',
  'gateway.PromoteArtifactRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 artifact_id string, 5 file resources.File',
  'gateway.GrantArtifactRequest':
    '1 session_id string, 2 agent string, 3 ns string, 4 artifact_id string, 5 access data.ArtifactAccess',
  'gateway.GrantArtifactResponse': '1 access data.ArtifactAccess',
  'gateway.DeleteArtifactRequest': '1 session_id string, 2 agent string, 3 ns string, 4 artifact_id string',
  'gateway.DeleteArtifactResponse': '1 success bool',
  'gateway.WhoAmIRequest': '',
  'gateway.WhoAmIResponse':
    '1 subject string, 2 mode string, 3 grants data.Grant[], 4 expires_at int64?, 5 identity string, 6 server_version string',
  'gateway.MintAccessTokenRequest':
    '1 grants data.Grant[], 2 ttl_seconds uint32, 3 subject_suffix string, 4 force bool',
  'gateway.MintAccessTokenResponse':
    '1 access_token string, 2 token_type string, 3 expires_at int64, 4 grants data.Grant[]',
  'gateway.CreateApiKeyRequest': '1 name string, 2 grants data.Grant[], 3 expires_at int64?, 4 force bool',
  'gateway.CreateApiKeyResponse': '1 key data.ApiKey, 2 secret string',
  'gateway.ListApiKeysRequest': '1 page_size int32, 2 page_token string, 3 include_revoked bool',
  'gateway.ListApiKeysResponse': '1 keys data.ApiKey[], 2 next_page_token string',
  'gateway.RevokeApiKeyRequest': '1 id string',
  'gateway.RevokeApiKeyResponse': '1 key data.ApiKey',
  'gateway.ListAuditRecordsRequest':
    '1 ns string, 2 identity string, 3 operation string, 4 since int64?, 5 until int64?, 6 page_size int32, 7 page_token string',
  'gateway.ListAuditRecordsResponse': '1 records AuditRecord[], 2 next_page_token string',
  'gateway.AuditRecord':
    '1 id string, 2 time int64, 3 request_id string, 4 identity string, 5 operation string, 6 target string, 7 outcome string, 8 resource_version string, 9 hash string',
  'gateway.GetConfigurationRequest': '',
  'gateway.GetConfigurationResponse': '1 values ConfigurationValue[]',
  'gateway.ConfigurationValue': '1 key string, 2 value_json string, 3 source string',
  'gateway.RunDoctorRequest': '1 online bool',
  'gateway.RunDoctorResponse': '1 checks DoctorCheck[]',
  'gateway.DoctorCheck': '1 name string, 2 result string, 3 detail string, 4 remedy string',
  'gateway.CreateBackupRequest': '',
  'gateway.CreateBackupResponse': '1 path string, 2 size_bytes uint64, 3 sha256 string',
  'gateway.DrainWorkerRequest': '1 name string',
  'gateway.DrainWorkerResponse': '1 worker resources.Worker',
  'gateway.RotateSecretKeyRequest': '',
  'gateway.RotateSecretKeyResponse': '1 key_id string',
  'gateway.StreamLogsRequest':
    '1 level string, 2 contains string, 3 after string, 4 tail int32?, 5 since int64, 6 kept_only bool',
  'gateway.LogLine': '1 id string, 2 timestamp int64, 3 level string, 4 message string, 5 fields_json string',
  'gateway.ListDeliveriesRequest':
    '1 ns string, 2 connector string, 3 state string, 4 page_size int32, 5 page_token string',
  'gateway.ListDeliveriesResponse': '1 deliveries data.Delivery[], 2 next_page_token string',
  'gateway.RetryDeliveryRequest': '1 ns string, 2 delivery_id string',
  'gateway.ReleaseDeliveryRequest': '1 ns string, 2 delivery_id string',
  'gateway.SkipDeliveryRequest': '1 ns string, 2 delivery_id string',
  'gateway.DeliveryResponse': '1 delivery data.Delivery',
};
