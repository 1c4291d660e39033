import type { ModelsConfig, ProviderConfig } from '../../models/contract.ts';
import type { RuntimeConfig } from '../../runtime/contract.ts';
import type { AuthConfig, Config, StoreConfig, TelemetryConfig } from './config.ts';
import type { Settings } from './keys/index.ts';
import { listenAddress } from './listen-address.ts';

/** What the sections need in addition to the settings. */
interface BuildFacts {
  /** Version of the product, shown in answers. */
  readonly version: string;
  readonly file: string | undefined;
  readonly variables: readonly string[];
}

/** Sorts the settings into the sections that the contracts of the parts ask for, and freezes everything. */
export const buildConfig = (settings: Settings, facts: BuildFacts): Config =>
  deepFreeze({
    dataDir: settings.dataDir,
    publicUrl: settings['server.publicUrl'],
    clusterId: settings['server.clusterId'],
    roles: settings['server.roles'],
    transport: transportConfig(settings, facts.version),
    ...tlsFiles(settings),
    auth: authConfig(settings),
    store: storeConfig(settings),
    runtime: runtimeConfig(settings),
    models: modelsConfig(settings),
    telemetry: telemetryConfig(settings),
    settings,
    file: facts.file,
    variables: facts.variables,
  });

const transportConfig = (settings: Settings, version: string): Config['transport'] => {
  const { host, port } = listenAddress(settings['server.listen']);
  return {
    host,
    port,
    requestBytes: settings['limits.requestBytes'],
    uiRequestBytes: settings['limits.uiRequestBytes'],
    responseBytes: settings['limits.responseBytes'],
    urlBytes: settings['limits.urlBytes'],
    headerBytes: settings['limits.headerBytes'],
    jsonDepth: settings['limits.jsonDepth'],
    messageElements: settings['limits.messageElements'],
    http2Streams: settings['limits.http2Streams'],
    connections: settings['limits.connections'],
    connectionsPerAddress: settings['limits.connectionsPerAddress'],
    unaryDeadlineMs: settings['deadlines.unarySeconds'],
    waitDeadlineMs: settings['deadlines.waitSeconds'],
    drainMs: settings['server.drainSeconds'],
    corsOrigins: settings['cors.origins'] ?? [],
    loopbackOnly: settings['auth.mode'].includes('none'),
    reflection: settings['server.reflection'],
    metricsOpen: settings['metrics.open'],
    trustProxy: settings['server.trustProxy'],
    version,
  };
};

const tlsFiles = (settings: Settings): Pick<Config, 'tls'> => {
  const { 'server.tls.cert': cert, 'server.tls.key': key } = settings;
  return cert === undefined || key === undefined ? {} : { tls: { cert, key } };
};

const authConfig = (settings: Settings): AuthConfig => {
  const { 'auth.token': token, 'auth.password': password, 'auth.jwt.secret': secret, 'auth.jwks.url': url } = settings;
  const issuer = settings['auth.jwks.issuer'];
  return {
    modes: settings['auth.mode'],
    ...(token === undefined ? {} : { token }),
    ...(password === undefined ? {} : { password }),
    failureLimit: settings['auth.failureLimit'],
    ...(secret === undefined
      ? {}
      : {
          jwt: {
            secret,
            audience: settings['auth.jwt.audience'],
            defaultGrants: settings['auth.jwt.defaultGrants'],
          },
        }),
    ...(url === undefined
      ? {}
      : {
          jwks: {
            url,
            ...(issuer === undefined ? {} : { issuer }),
            audience: settings['auth.jwks.audience'],
            algorithms: settings['auth.jwks.algorithms'],
            rules: settings['auth.jwks.rules'],
          },
        }),
  };
};

const storeConfig = (settings: Settings): StoreConfig => {
  const common = {
    poolSize: settings['store.poolSize'],
    sync: settings['store.sync'],
    busyTimeoutMs: settings['store.busyTimeout'],
    migrate: settings['store.migrate'],
  };
  const url = settings['store.url'];
  return url.startsWith('sqlite:') ? { ...common, engine: 'sqlite' } : { ...common, engine: 'postgres', url };
};

const runtimeConfig = (settings: Settings): RuntimeConfig => ({
  leaseMs: settings['runtime.lease'],
  sweepMs: settings['runtime.sweep'],
  maxAttempts: settings['runtime.maxAttempts'],
  maxSteps: settings['runtime.maxSteps'],
  maxToolCalls: settings['runtime.maxToolCalls'],
  maxBatchCalls: settings['runtime.maxBatchCalls'],
  maxTurnTokens: settings['runtime.maxTurnTokens'],
  parallelTools: settings['runtime.parallelTools'],
  turnTimeoutMs: settings['runtime.turnTimeout'],
  toolTimeoutMs: settings['runtime.toolTimeout'],
  concurrency: settings['runtime.concurrency'],
  sessionQueue: settings['limits.sessionQueue'],
  messageBytes: settings['limits.messageBytes'],
  permissionTimeoutMs: settings['permissions.timeoutSeconds'],
  requestTimeoutMs: settings['requests.timeoutSeconds'],
  historySeconds: settings['streams.historySeconds'] / 1_000,
  streamRestart: settings['models.streamRestart'],
  drainMs: settings['server.drainSeconds'],
});

const modelsConfig = (settings: Settings): ModelsConfig => {
  const chosen = settings['models.default'];
  const { failures = 5, within = 30_000, open = 15_000 } = settings['models.breaker'];
  return {
    ...(chosen === undefined ? {} : { default: chosen }),
    // The required fields of these record kinds match those of the contracts (`type`, `input`, `output`).
    providers: settings['models.providers'] as Readonly<Record<string, ProviderConfig>>,
    connectMs: settings['models.connect'],
    firstByteMs: settings['models.firstByte'],
    idleMs: settings['models.idle'],
    totalMs: settings['models.total'],
    tries: settings['models.tries'],
    retryAfterMaxMs: settings['models.retryAfterMax'],
    streamRestart: settings['models.streamRestart'],
    breaker: { failures, withinMs: within, openMs: open },
    defaultWindow: settings['models.defaultWindow'],
    catalog: settings['models.catalog'] as ModelsConfig['catalog'],
    prices: settings['models.prices'] as ModelsConfig['prices'],
  };
};

const telemetryConfig = (settings: Settings): TelemetryConfig => {
  const otlpEndpoint = settings['telemetry.otlpEndpoint'];
  return {
    logLevel: settings['telemetry.logLevel'],
    logFormat: settings['telemetry.logFormat'],
    ...(otlpEndpoint === undefined ? {} : { otlpEndpoint }),
    captureContent: settings['telemetry.captureContent'],
  };
};

const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
};
