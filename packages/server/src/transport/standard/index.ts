/**
 * standard: what every server offers in addition to its operations: health and readiness, metrics, version, the OpenAPI
 * description, grpc.health.v1 and reflection. Served through the same dispatcher as everything else.
 */
export { DescriptorIndex } from './descriptor-index.ts';
export { healthOperations } from './health-service.ts';
export { Readiness } from './readiness.ts';
export { reflectionOperations } from './reflection-service.ts';
export { standardRoutes } from './standard-routes.ts';
