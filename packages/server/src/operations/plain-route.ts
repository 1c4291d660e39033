import type { CallContext } from '../auth/contract.ts';

/** The most bytes that something may have, for refusals that name it. */
export interface ByteLimit {
  readonly bytes: number;
  /** The configuration key that sets it, e.g. `limits.requestBytes`; absent where none does. */
  readonly setting?: string;
}

/** Plain HTTP under the gateway's roof that is not a protobuf operation: the browser surface, uploads, profile. */
export interface HttpExchange {
  readonly method: string;
  /** Raw path without query, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  /** Whole body, refused above the limit with TOO_LARGE. */
  body(limit: ByteLimit): Promise<Uint8Array>;
  /**
   * The body as it comes, instead of `body`: read once, at the reader's speed. Throws TOO_LARGE above the limit, CANCELLED
   * CLIENT_GONE when the sender goes away half-way, and DEADLINE when he falls silent for a minute.
   */
  pieces(limit: ByteLimit): AsyncIterable<Uint8Array>;
  /** Answers once; for JSON pass a string and its content type. */
  answer(status: number, headers: Readonly<Record<string, string>>, body?: Uint8Array | string): void;
  /** Starts a streamed answer; `write` returns false while the reader lags. `keepAlive` is written every 15 s. */
  stream(status: number, headers: Readonly<Record<string, string>>, keepAlive?: string): HttpStream;
}

export interface HttpStream {
  write(chunk: string | Uint8Array): boolean;
  onDrained(notify: () => void): void;
  end(): void;
  readonly writable: boolean;
}

/**
 * A mounted plain-HTTP route: `pattern` is a path template such as `/v1/ui/ns/{ns}/agents/{agent}/sessions/{session_id}`.
 * `/{path=**}` is every path that no other route has, outside of `/v1`.
 */
export interface HttpRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly pattern: string;
  /** False only for routes that need no credential. */
  readonly authenticated: boolean;
  /** For connector services, by the secret of their registration; credentials of the gateway do not count. */
  readonly isCallback?: true;
  /** Only for callers on this machine that come through no proxy; others get PERMISSION_DENIED LOOPBACK. */
  readonly loopbackOnly?: true;
  /** True where an idempotency key is honoured. */
  readonly repeatable?: true;
  /** False for a request that the route leaves alone: it is answered like a path that has no route. Absent: it takes all. */
  takes?(request: Pick<HttpExchange, 'path' | 'header'>): boolean;
  /** Faults thrown before the answer began become the error body (`faults/fault-body.ts`). */
  handle(exchange: HttpExchange, params: Readonly<Record<string, string>>, context: CallContext): Promise<void>;
}
