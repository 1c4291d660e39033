/**
 * rest: paths, queries and JSON bodies to typed requests, answers to JSON, streams to NDJSON, SSE or one array.
 * Owns templates, the route trie and the body conveniences. Handlers, authentication and deadlines are the dispatcher's.
 */
export { addOrigin, refusalHeaders } from './answer-headers.ts';
export { isQueryField, parseQuery } from './bind-query.ts';
export { parseTemplate } from './path-template.ts';
export { RestProtocol } from './rest-protocol.ts';
