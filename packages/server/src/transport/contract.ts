import type { Authenticator, Authorizer, EarlyAuthorizer } from '../auth/contract.ts';
import type { Clock, Ids, Log } from '../base/index.ts';
import type { HttpRoute, Operation } from '../operations/index.ts';

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
  /** Of calls that need a callback secret; gateway credentials do not count there. */
  readonly callbacks: Authenticator;
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
  /** Every operation that was handed in, served or not. */
  readonly operations: readonly Operation[];
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
