/** The connector contract, package svc.external. */
export * from '../gen/svc/external/cluster_registration_pb.js';
export * from '../gen/svc/external/connector_delivery_pb.js';
export * from '../gen/svc/external/connector_service_pb.js';
