/** Messages of the server streams, package svc.events. */
export * from '../gen/svc/events/channel_events_pb.js';
export * from '../gen/svc/events/resource_events_pb.js';
export * from '../gen/svc/events/session_events_pb.js';
