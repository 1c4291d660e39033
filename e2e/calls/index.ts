/**
 * calls: the API over plain `fetch`, as a user with curl would call it, and readers of its line and event streams. Uses no
 * client library, so that the tests judge the wire itself. Called by tests that are not about one special client.
 */
export { type RestAnswer, RestCaller, type Sent, type SessionKey } from './rest-caller.ts';
export { SessionReader } from './session-reader.ts';
export { type Part, type SessionEvent, textOf } from './shapes.ts';
export { readNdjson, readSse } from './stream-lines.ts';
