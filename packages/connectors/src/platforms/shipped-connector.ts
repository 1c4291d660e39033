import type { PlatformTools } from '../bridge/index.ts';
import type { ConnectorHost, Platform } from '../kit/index.ts';
import type { Setting, Settings } from '../settings.ts';

/** A connector that comes with svc: what users set, what Connectors may match, and how to open it. */
export interface ShippedConnector {
  /** The word of the command line, and `platform` of the ConnectorClass. */
  readonly name: string;
  readonly title: string;
  readonly settings: readonly Setting[];
  /** Indexes of the ConnectorClass over the match fields of this platform's events. */
  readonly matchIndexes: readonly { readonly name: string; readonly fields: readonly string[] }[];
  /** How a webhook proves that the platform sent it. */
  readonly verification: string;
  /** Throws SettingError, or AdapterMissing when an optional package is not installed. */
  open(settings: Settings, tools: PlatformTools): Promise<(host: ConnectorHost) => Platform>;
}

/** A setting that has to be given and is kept out of logs and manifests. */
export const secret = (name: string, environment: string, description: string): Setting => ({
  name,
  environment,
  description,
  isSecret: true,
  isRequired: true,
});

/** A setting that may be left out. */
export const optional = (name: string, environment: string, description: string): Setting => ({
  name,
  environment,
  description,
  isSecret: false,
  isRequired: false,
});

/** A setting that has to be given and may be seen. */
export const required = (name: string, environment: string, description: string): Setting => ({
  ...optional(name, environment, description),
  isRequired: true,
});

/** The http or https address of a server, which may be left out. */
export const address = (name: string, environment: string, description: string): Setting => ({
  ...optional(name, environment, description),
  isAddress: true,
});

/** A secret that some ways of signing in do without. */
export const optionalSecret = (name: string, environment: string, description: string): Setting => ({
  ...secret(name, environment, description),
  isRequired: false,
});
