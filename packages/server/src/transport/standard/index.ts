/**
 * standard: what every server offers beside its operations: health and readiness, metrics, version, the OpenAPI
 * description, grpc.health.v1 and reflection. Served through the same dispatcher as everything else.
 */
export { Readiness } from './readiness.ts';
export { standardRoutes } from './standard-routes.ts';
