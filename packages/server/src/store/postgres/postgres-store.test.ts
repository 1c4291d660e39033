// @service postgresql
import { storeConformance, vectorConformance } from '../conformance/index.ts';
import { makeTestStore } from './testing/test-store.ts';
import { withPostgres } from './testing/with-postgres.ts';

withPostgres('a PostgreSQL server', (postgres) => {
  storeConformance('PostgreSQL', () => makeTestStore(postgres.databases));
  vectorConformance('PostgreSQL', () => makeTestStore(postgres.databases, { vectors: true }));
});
