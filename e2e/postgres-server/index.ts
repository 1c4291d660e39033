/**
 * e2e/postgres-server: a real PostgreSQL server of one test file. Owns the process that owns it; knows nothing of svc.
 */
export { PostgresService } from './postgres-service.ts';
