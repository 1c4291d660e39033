/**
 * store/contracts: what the product needs of durable storage, object bytes and the bus, without a word of SQL.
 * Engines implement it (sqlite, postgres, blobs/*, bus/*) and pass `store/conformance`; features and runtime call it.
 * A new kind of resource needs nothing here: resources are one generic table. A small table is described in `tables/`.
 */
export * from './blob-bytes.ts';
export * from './blob-store.ts';
export * from './bus.ts';
export * from './channel-log.ts';
export * from './direct-uploads.ts';
export * from './dump.ts';
export type * from './dump-table.ts';
export * from './dump-tables.ts';
export * from './resource-pages.ts';
export * from './resource-store.ts';
export * from './search-index.ts';
export * from './session-log.ts';
export * from './storage-full.ts';
export * from './store.ts';
export * from './tables/index.ts';
export * from './work-tables.ts';
