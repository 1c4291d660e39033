import { loadMigrations } from '../../store/migrations/index.ts';
import type { TransportParts } from '../../transport/contract.ts';
import { clientUrl } from '../config/index.ts';
import { frontRoutes } from '../home/index.ts';
import { profileRoute } from '../telemetry/index.ts';
import type { App } from './app-parts.ts';

/** Everything that is served, for transport. */
export const servedParts = (app: App, tls: Pick<TransportParts['config'], 'tls'>): TransportParts => {
  const { config, engines, observation, host, turns, features, parts, port } = app;
  const { store, clock, ids, log, authorizer } = host;
  const { version, loopbackOnly } = config.transport;
  const { provider, model } = turns.models.defaultTarget;
  const front = frontRoutes(config.settings, {
    version,
    needsCredential: !loopbackOnly,
    url: () => clientUrl(config, port()),
    running: () => ({
      Version: version,
      Model: `${provider}/${model}`,
      Store: STORES[config.store.engine],
      'Running turns': String(turns.runtime.worker.running),
      'Open streams': String(turns.streams.open),
    }),
  });
  return {
    config: { ...config.transport, ...tls },
    operations: parts.operations,
    routes: [...front, ...parts.routes, profileRoute({ authorizer, clock })],
    readiness: [
      { name: 'store', check: () => store.ping() },
      { name: 'objects', check: engines.objects.reach },
      ...parts.checks,
    ],
    authenticator: features.access.authenticator,
    callbacks: features.connectors.callbacks,
    authorizer,
    metricsText: observation.metrics.text,
    schemaVersion: () => loadMigrations(config.store.engine).length,
    onCall: observation.onCall,
    clock,
    ids,
    log,
  };
};

/** Engines as people know them. */
const STORES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
