/** The standard gRPC health service, grpc.health.v1. */
export * from '../gen/grpc/health/v1/health_pb.js';
