/** Messages of package svc.data: messages, parts, turns, runs, principals, grants. */
export * from '../gen/svc/data/access_pb.js';
export * from '../gen/svc/data/artifact_pb.js';
export * from '../gen/svc/data/channel_message_pb.js';
export * from '../gen/svc/data/delivery_pb.js';
export * from '../gen/svc/data/knowledge_search_pb.js';
export * from '../gen/svc/data/message_consumer_pb.js';
export * from '../gen/svc/data/object_ref_pb.js';
export * from '../gen/svc/data/permission_pb.js';
export * from '../gen/svc/data/principal_pb.js';
export * from '../gen/svc/data/session_hit_pb.js';
export * from '../gen/svc/data/session_message_pb.js';
export * from '../gen/svc/data/step_pb.js';
export * from '../gen/svc/data/token_counter_pb.js';
export * from '../gen/svc/data/trail_pb.js';
export * from '../gen/svc/data/turn_pb.js';
export * from '../gen/svc/data/workflow_run_pb.js';
