/**
 * http: one request and its answer, the same for HTTP/1.1 and HTTP/2, with Host, Origin and compression rules.
 * Knows no protocol above HTTP; the listener creates exchanges and every protocol folder answers through them.
 */
export * from './body-stream.ts';
export * from './compression.ts';
export * from './exchange.ts';
export { Http1Exchange } from './http1-exchange.ts';
export { Http2Exchange } from './http2-exchange.ts';
export * from './origin-rules.ts';
export { Outbox } from './outbox.ts';
export * from './request-body.ts';
