/**
 * store: durable storage, object bytes and the bus. This door exports the contracts only, so that features and runtime
 * never load a driver. Engines have their own doors (`sqlite/`, `blobs/local/`, `bus/local/`), which only `app` imports;
 * `migrations/` holds the numbered schema of each engine and `conformance/` the suites every engine passes.
 */
export * from './contracts/index.ts';
