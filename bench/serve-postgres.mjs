/**
 * `svc` on a PostgreSQL database of its own, named after its data directory, so that a restart on the same directory finds
 * what it left: what `bench/run.mjs --postgres` starts in place of `svc.mjs`. Environment SVC_BENCH_POSTGRES: address of a
 * server whose user may create databases.
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import process from 'node:process';

/** The driver that the server brings. */
const { Client } = createRequire(new URL('../packages/server/package.json', import.meta.url))('pg');
const DUPLICATE_DATABASE = '42P04';

const address = new URL(process.env['SVC_BENCH_POSTGRES'] ?? '');
const name = `svc_${createHash('sha256')
  .update(process.env['SVC_DATA_DIR'] ?? '')
  .digest('hex')
  .slice(0, 16)}`;

const client = new Client({ connectionString: address.href });
await client.connect();
await client.query(`CREATE DATABASE ${name}`).catch((error) => {
  if (error.code !== DUPLICATE_DATABASE) throw error;
});
await client.end();

address.pathname = `/${name}`;
process.env['SVC_STORE_URL'] = address.href;
await import('../packages/cli/bin/svc.mjs');
