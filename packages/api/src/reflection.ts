/** The standard gRPC reflection services; both versions have the same messages. */
export * as v1 from '../gen/grpc/reflection/v1/reflection_pb.js';
export * as v1alpha from '../gen/grpc/reflection/v1alpha/reflection_pb.js';
