/**
 * The published messages, typed in by hand as data: number, name and type of every field. `?` after a type means
 * explicit presence, `[]` a list, `map<x>` a map from text to x; a name before a dot is the oneof.
 * Types without a package belong to the message's own. Keys leave out the leading `svc.`.
 */

/** Messages of svc.data, svc.events and svc.external. */
export const dataMessages: Readonly<Record<string, string>> = {
  'data.ObjectRef':
    '1 key string, 2 media_type string, 3 size_bytes uint64, 4 sha256 string, 5 filename string, 6 metadata map<string>, 7 content_encoding string',
  'data.Principal':
    '1 external_id string, 2 address string, 3 display_name string, 4 kind string, 5 metadata map<string>',
  'data.TokenCounter':
    '1 input_tokens uint64, 2 output_tokens uint64, 3 reasoning_output_tokens uint64, 4 total_tokens uint64, 5 cached_input_tokens uint64, 6 usage_available bool, 7 provider_request_id string?, 8 provider string, 9 model string, 10 cache_write_tokens uint64, 11 cost_micros uint64?',
  'data.SessionMessagePart':
    '1 id string, 2 part_type SessionMessagePartType, 3 content string, 4 name string, 5 payload_json string, 6 created_at int64, 7 object ObjectRef',
  'data.SessionMessage':
    '1 id string, 2 role MessageRole, 4 created_at int64, 5 labels map<string>, 6 parts SessionMessagePart[]',
  'data.Step':
    '1 step uint32, 2 outcome string, 3 provider string, 4 model string, 5 temperature double?, 6 output_limit uint64?, 7 thinking_json string, 8 started_at int64, 9 first_piece_ms uint32?, 10 model_ms uint32, 11 tool_calls uint32, 12 usage TokenCounter, 13 message_id string, 14 sent_sha256 string, 15 sent_bytes uint64, 16 unavailable_reason string, 17 kind string, 18 compaction uint32',
  'data.StepPiece':
    '1 source string, 2 name string, 3 role string, 4 message_id string, 5 part_id string, 6 form string, 7 text string, 8 object ObjectRef, 9 url string, 10 tool_call_id string, 11 is_error bool, 12 tokens uint64, 13 cached_tokens uint64, 14 tokens_before_cut uint64?',
  'data.StepOmission': '1 message_id string, 2 reason string, 3 tokens uint64',
  'data.SessionHit':
    '1 ns string, 2 agent string, 3 session_id string, 4 message_id string, 5 role MessageRole, 6 created_at int64, 7 snippet SnippetPiece[], 8 score double',
  'data.SnippetPiece': '1 text string, 2 found bool',
  'data.RouteVerdict':
    '1 route_id string, 2 ns string, 3 connector string, 4 outcome string, 5 field string, 6 wanted string, 7 given string',
  'data.SubscriptionVerdict':
    '1 subscription string, 2 agent string, 3 trigger string, 4 outcome string, 5 error string, 6 reply_mode string',
  'data.SessionOverrides': '1 provider string?, 2 model string?, 3 temperature double?, 4 system_prompt string?',
  'data.TrailEntry':
    '1 kind string, 2 id string, 3 ns string, 4 agent string, 5 session_id string, 6 name string, 7 at int64, 8 ended_at int64?, 9 state string, 10 reason string, 11 text string, 12 caused_by string',
  'data.Turn':
    '1 id string, 2 session_id string, 3 agent string, 4 ns string, 5 state TurnState, 6 user_message_id string, 7 reply_message_ids string[], 8 attempt uint32, 9 created_at int64, 10 started_at int64?, 11 finished_at int64?, 12 error string, 13 reason string, 14 cause string, 15 identity string, 16 usage TokenCounter, 17 pending_permissions PermissionRequest[]',
  'data.PermissionRequest':
    '1 id string, 2 turn_id string, 3 tool_call_id string, 4 action string, 5 prompt string, 6 input_json string, 7 options PermissionOption[], 8 created_at int64, 9 expires_at int64, 10 decision PermissionDecision, 11 option_id string, 12 decided_by string, 13 decided_at int64?, 14 comment string, 15 ns string, 16 agent string, 17 session_id string, 18 kind string, 19 schema_json string, 20 url string, 21 answer_json string, 22 identity string',
  'data.PermissionOption': '1 id string, 2 name string, 3 decision PermissionDecision, 4 remember bool',
  'data.ChannelMessage':
    '1 id string, 2 ns string, 3 channel string, 4 author_kind string, 5 author string, 6 content string, 7 created_at int64, 8 source_agent string, 9 source_session_id string, 10 labels map<string>, 11 attachments ObjectRef[]',
  'data.KnowledgeModule': '1 path string, 2 content string, 3 updated_at int64, 4 namespace string, 5 name string',
  'data.KnowledgeSearchResult': '1 path string, 2 snippet string, 3 score float, 4 timestamp int64, 5 namespace string',
  'data.SessionMessageConsumer':
    '1 agent resources.ResourceRef, 2 session_id string, 3 continuity string, 4 reply_mode string',
  'data.ChannelMessageConsumer':
    '1 channel resources.ResourceRef, 2 agent resources.ResourceRef, 3 continuity string, 4 reply_policy string',
  'data.WorkflowMessageConsumer': '1 namespace string, 2 name string, 3 reply_mode string',
  'data.MessageConsumer':
    '1 session SessionMessageConsumer?, 2 channel ChannelMessageConsumer?, 3 workflow WorkflowMessageConsumer?',
  'data.WorkflowRun':
    '1 id string, 2 workflow string, 3 ns string, 4 status string, 5 input_json string, 6 state_json string, 7 output_json string, 8 created_at int64, 9 updated_at int64, 10 labels map<string>, 11 claim_expires_at int64?, 12 error string, 13 spec_json string, 14 workflow_revision uint64, 15 claim_owner string, 16 claim_attempt uint32, 17 last_dispatch_reason string',
  'data.WorkflowStepRun':
    '1 id string, 2 step_id string, 3 attempt uint32, 4 status string, 5 input_json string, 6 output_json string, 7 error string, 8 child_session_id string, 9 child_workflow_run_id string, 10 resume_json string, 11 suspend_json string, 12 created_at int64, 13 updated_at int64, 14 next_retry_at int64?, 15 timeout_at int64?, 16 wait_wakeup_handle string, 17 wait_until_at int64?',
  'data.WorkflowRunEvent':
    '1 id string, 2 ns string, 3 workflow string, 4 run_id string, 5 type string, 6 step_id string, 7 message string, 8 payload_json string, 9 timestamp int64',
  'data.Artifact':
    '1 id string, 2 session_id string, 3 title string, 5 media_type string, 6 object_ref ObjectRef, 7 created_by_agent string, 8 created_at int64, 9 labels map<string>, 10 metadata map<string>',
  'data.ArtifactAccess':
    '1 target_agent string, 2 target_session_id string, 3 operations string[], 4 expires_at int64, 5 granted_by_agent string, 6 granted_by_session_id string, 7 created_at int64',
  'data.Grant':
    '1 role string, 2 namespace string?, 3 agent string?, 4 session string?, 5 channel string?, 6 read_secrets bool',
  'data.ApiKey':
    '1 id string, 2 name string, 3 prefix string, 5 grants Grant[], 6 created_at int64, 7 last_used_at int64, 8 expires_at int64?, 9 revoked_at int64?',
  'data.Delivery':
    '1 id string, 2 ns string, 3 connector string, 4 connector_class string, 5 registration_id string, 6 state string, 7 attempts uint32, 8 next_attempt_at int64?, 9 last_error string, 10 created_at int64, 11 updated_at int64, 12 agent string, 13 session_id string, 14 message_id string, 15 run_id string, 16 channel_message_id string, 17 text string',
  'events.SessionMessagePartEvent':
    '1 session_id string, 2 kind SessionMessagePartEventKind, 3 part data.SessionMessagePart, 4 timestamp int64, 5 agent string, 6 ns string, 7 message_id string, 8 sequence uint64, 9 attempt uint32, 10 cursor string, 11 turn_id string, 12 reason string',
  'events.ChannelEvent':
    '1 ns string, 2 channel string, 3 kind ChannelEventKind, 4 message data.ChannelMessage, 5 session_id string, 6 agent string, 7 subscription string, 8 error string, 9 timestamp int64, 10 sequence uint64, 11 cursor string',
  'events.ResourceChangedEvent':
    '1 namespace string, 2 resource_kind string, 3 name string, 4 uid string, 5 resource_version string, 6 generation uint64, 7 change_type ResourceChangeType, 8 changed_sections string[], 9 timestamp int64, 10 resource resources.Resource',
  'external.RegisterClusterRequest':
    '1 cluster_id string, 2 registration_id string, 3 namespace string, 4 connector_class string, 5 callback_base_url string, 6 callback_auth_kind string, 7 callback_auth_key string',
  'external.RegisterClusterResponse': '1 registration_id string?',
  'external.ConnectorMessageEvent':
    '1 event_id string, 2 event_kind ConnectorMessageEventKind, 3 registration_id string, 4 connector_class string, 5 match_fields map<string>, 6 external_conversation_id string, 7 external_thread_id string?, 8 external_message_id string, 9 conversation_type string, 10 sender data.Principal, 11 text string, 12 attachments data.ObjectRef[], 13 event_time_ms int64, 14 labels map<string>',
  'external.ConnectorMessageEventResponse':
    '1 status ConnectorMessageEventStatus, 2 reason string, 4 namespace string, 5 connector_name string, 6 consumer data.MessageConsumer, 7 run_id string',
  'external.ConnectorDeliveryRequest':
    '1 delivery_id string, 2 registration_id string, 3 connector_class string, 4 namespace string, 5 connector_name string, 6 match_fields map<string>, 7 external_conversation_id string, 8 external_thread_id string?, 9 reply_to_external_message_id string?, 10 text string, 11 attachments data.ObjectRef[], 12 labels map<string>',
  'external.ConnectorDeliveryResponse': '1 accepted bool, 2 disposition string, 3 error string',
  'external.ConnectorActivityRequest':
    '1 activity_id string, 2 registration_id string, 3 connector_class string, 4 namespace string, 5 connector_name string, 6 match_fields map<string>, 7 external_conversation_id string, 8 external_thread_id string?, 9 kind string, 10 phase string, 11 status_text string, 12 labels map<string>',
  'external.ConnectorStatusEvent':
    '1 registration_id string, 2 match_fields map<string>, 3 status string, 4 reason string',
  'external.ConnectorAckResponse': '1 accepted bool, 2 disposition string',
};
