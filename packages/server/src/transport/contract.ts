import type { Authenticator, Authorizer, CallContext, EarlyAuthorizer } from '../auth/contract.ts';
import type { Clock, Ids, Log } from '../base/index.ts';
import type { Operation } from '../features/contract.ts';

/** `limits.*`, `deadlines.*`, `cors.*`, `server.*` that transport needs; sizes in bytes, times in milliseconds. */
export interface TransportConfig {
  /** Host and port to listen on; port 0 picks a free one. */
  readonly host: string;
  readonly port: number;
  /** Certificate chain and key in PEM form; absent = cleartext only. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly requestBytes: number;
  readonly uiRequestBytes: number;
  readonly responseBytes: number;
  readonly urlBytes: number;
  readonly headerBytes: number;
  readonly jsonDepth: number;
  readonly messageElements: number;
  readonly http2Streams: number;
  /** Connections of all callers together. */
  readonly connections: number;
  /** Connections of one address that have shown no valid credential. */
  readonly connectionsPerAddress: number;
  readonly unaryDeadlineMs: number;
  readonly waitDeadlineMs: number;
  readonly drainMs: number;
  readonly corsOrigins: readonly string[];
  /** True in auth mode none: Host must be a loopback name and `*` is not an origin. */
  readonly loopbackOnly: boolean;
  readonly reflection: boolean;
  readonly metricsOpen: boolean;
  readonly trustProxy: boolean;
  readonly version: string;
}

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

/** A mounted plain-HTTP route: `pattern` is a path template such as `/v1/ui/ns/{ns}/agents/{agent}/sessions/{session_id}`. */
export interface HttpRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly pattern: string;
  /** False only for routes that need no credential. */
  readonly authenticated: boolean;
  /** Only for callers on this machine that come through no proxy; others get PERMISSION_DENIED LOOPBACK. */
  readonly loopbackOnly?: true;
  /** True where an idempotency key is honoured. */
  readonly repeatable?: true;
  /** Faults thrown before the answer began become the error body (`faults/fault-body.ts`). */
  handle(exchange: HttpExchange, params: Readonly<Record<string, string>>, context: CallContext): Promise<void>;
}

export interface ReadinessCheck {
  readonly name: string;
  check(): Promise<void>;
}

export interface TransportParts {
  readonly config: TransportConfig;
  readonly operations: readonly Operation[];
  readonly routes: readonly HttpRoute[];
  readonly readiness: readonly ReadinessCheck[];
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer & EarlyAuthorizer;
  /** Prometheus text. */
  readonly metricsText: () => Promise<string>;
  /** Number of the schema that this build makes of its store; asked when somebody wants to know. */
  readonly schemaVersion: () => number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Called once per finished call for metrics and the request log line. */
  readonly onCall?: (call: FinishedCall) => void;
}

/** What is reported of a call once it ended. */
export interface FinishedCall {
  readonly operation: string;
  readonly transport: string;
  readonly code: string;
  /** Reason of the fault, '' for OK. */
  readonly reason: string;
  readonly durationMs: number;
  readonly requestId: string;
  readonly identity: string;
  readonly traceParent: string | undefined;
  /** Decoded request, or the path variables of a plain route: for the names in it, never for its contents. */
  readonly request: object | undefined;
  readonly isStream: boolean;
}

export interface TransportServer {
  /** Streams with a reader at this moment, of every kind. */
  readonly openStreams: () => number;
  /** Address really listened on. */
  readonly host: string;
  readonly port: number;
  /** /readyz turns 503, GOAWAY, no new work; streams end with SHUTTING_DOWN and the cursor; unary calls finish. */
  drain(): Promise<void>;
  /** Connections that are made from now on get this certificate; open ones stay. Without TLS nothing happens. */
  renewTls(tls: NonNullable<TransportConfig['tls']>): void;
  close(): Promise<void>;
}
