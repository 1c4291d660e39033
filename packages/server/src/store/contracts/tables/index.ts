/**
 * store/contracts/tables: tables that are described instead of written by hand. A description says what a table has (columns, key,
 * named queries, expiry) and which of four forms it takes: records by key (`keyed`), records that count until a time (`expiring`), holds
 * that lapse (`lease`), and work that is due at a time and claimed by one worker (`queue`). Each engine implements each form once,
 * `store/conformance` proves it of every description, and a description alone says how its table is dumped and restored.
 *
 * To add a table: one row in `described-tables.ts`, one migration per engine. A new queue rarely needs one: `queue` takes any kind of
 * work. What runs on it today is short, so that nothing but the conformance suite renews a claim yet.
 *
 * Written by hand is what a form does not fit:
 * - resources, sessions, messages, turns, claims, journal, the change log: what every call waits for, each with statements of its own;
 * - `steers` and `permissions` belong to a session: they go with it in one statement, and renewals of claims count steers;
 * - `instance`: PostgreSQL reads it without a lock in nearly every transaction and checks it again, with resources, before the commit;
 * - `audit` and its chain: a place in the order of commits, which on PostgreSQL is known only behind the frontier of the log;
 * - `counters`: sums over windows, and leaps over the buckets of former ones;
 * - `objects` and their references: two tables that change together, with a collector that condemns before it removes;
 * - the channel log: numbers without holes, and events that are read together with their messages;
 * - search: each engine has an index of its own kind;
 * - rows of `leases` below `presence/` on PostgreSQL: each stands for a lock of a connection, and is read together with it.
 */
export { deliveryHolder } from './connector-tables.ts';
export * from './described-tables.ts';
export * from './description.ts';
export { DESCRIBED_DUMPS } from './dumped.ts';
export * from './expiring-table.ts';
export * from './keyed-table.ts';
export * from './lease-table.ts';
export * from './queue-table.ts';
export { runHolder } from './workflow-tables.ts';
