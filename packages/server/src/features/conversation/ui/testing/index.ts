/** Test harness of features/conversation/ui: the routes behind a `fetch` that real AI SDK clients use; no sockets. */
export * from './route-fetch.ts';
