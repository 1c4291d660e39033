import type { ModelsConfig } from '../../models/contract.ts';
import type { RuntimeConfig } from '../../runtime/contract.ts';
import type { TransportConfig } from '../../transport/contract.ts';
import type { Settings } from './keys/index.ts';

/** Modes in which callers may sign in, and what each needs. */
export interface AuthConfig {
  readonly modes: Settings['auth.mode'];
  readonly token?: string;
  readonly password?: string;
  readonly jwt?: {
    readonly secret: string;
    readonly audience: string;
    readonly defaultGrants: Settings['auth.jwt.defaultGrants'];
  };
  /** Failed sign-ins of one address in a minute before it is slowed down; 0 = no limit. */
  readonly failureLimit: number;
  readonly jwks?: {
    readonly url: string;
    readonly issuer?: string;
    readonly audience: string;
    readonly algorithms: Settings['auth.jwks.algorithms'];
    readonly rules: Settings['auth.jwks.rules'];
  };
}

/** The database, as its engine needs it; SQLite is in the data directory. */
export type StoreConfig = {
  readonly poolSize: number;
  readonly sync: 'full' | 'off';
  readonly busyTimeoutMs: number;
  readonly migrate: 'auto' | 'manual';
} & ({ readonly engine: 'sqlite' } | { readonly engine: 'postgres'; readonly url: string });

/** Absolute paths of a certificate chain and its key, which are read when the server starts and on SIGHUP. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Where log lines are written, in which form and from which level. */
export interface TelemetryConfig {
  readonly logLevel: Settings['telemetry.logLevel'];
  readonly logFormat: 'json' | 'text';
  readonly otlpEndpoint?: string;
  readonly captureContent: boolean;
}

/**
 * The whole configuration, validated and frozen. The sections are those of the parts' contracts; `settings` holds
 * every key of the table for parts without a section (durations in milliseconds, sizes in bytes, paths absolute).
 */
export interface Config {
  readonly dataDir: string;
  readonly publicUrl: string;
  readonly clusterId: string;
  readonly roles: Settings['server.roles'];
  readonly transport: Omit<TransportConfig, 'tls'>;
  /** Absent: cleartext only. */
  readonly tls?: TlsFiles;
  readonly auth: AuthConfig;
  readonly store: StoreConfig;
  readonly runtime: RuntimeConfig;
  readonly models: ModelsConfig;
  readonly telemetry: TelemetryConfig;
  readonly settings: Settings;
  /** The file that was used: an absolute path, `SVC_CONFIG_INLINE`, or undefined for defaults. */
  readonly file: string | undefined;
  /** Names of the environment variables that were read for it: `{env: NAME}`, `${NAME}`, keys of providers. */
  readonly variables: readonly string[];
}
