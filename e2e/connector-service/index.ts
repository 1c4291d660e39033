/**
 * connector-service: a connector service of tests over HTTP, with the platform behind it. Knows the contract between svc and such services, nothing
 * of the server. Called by tests that talk to a server as a messaging platform does.
 */
export { ConnectorService, type Treatment } from './connector-service.ts';
