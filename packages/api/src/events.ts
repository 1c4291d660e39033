/** Messages of the server streams, package svc.events (contract: wire.md 6). */
export * from '../gen/svc/events/channel_events_pb.js';
export * from '../gen/svc/events/resource_events_pb.js';
export * from '../gen/svc/events/session_events_pb.js';
