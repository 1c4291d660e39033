import type { HttpRoute } from '../../operations/index.ts';
import { loadMigrations } from '../../store/migrations/index.ts';
import type { TransportParts } from '../../transport/contract.ts';
import { clientUrl } from '../config/index.ts';
import { consoleRoutes, findConsole, homeRoute } from '../home/index.ts';
import { profileRoute } from '../telemetry/index.ts';
import type { App } from './app-parts.ts';

/** Everything that is served, for transport. */
export const servedParts = (app: App, tls: Pick<TransportParts['config'], 'tls'>): TransportParts => {
  const { config, engines, observation, host, features, parts } = app;
  const { store, clock, ids, log, authorizer } = host;
  return {
    config: { ...config.transport, ...tls },
    operations: parts.operations,
    routes: [...frontRoutes(app), ...parts.routes, profileRoute({ authorizer, clock })],
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

/** The console; the page that stands for it where it was not built; nothing where it is switched off. */
const frontRoutes = ({ config, turns, port }: App): readonly HttpRoute[] => {
  const { settings } = config;
  const { version, loopbackOnly } = config.transport;
  if (!settings['console.enabled']) return [];
  const built = findConsole();
  if (built !== undefined) {
    const { 'console.title': title, 'console.readOnly': readOnly, 'auth.mode': authModes } = settings;
    return consoleRoutes(built, { title, readOnly, authModes, version });
  }
  const { provider, model } = turns.models.defaultTarget;
  const home = homeRoute({
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
  return [home];
};

/** Engines as people know them. */
const STORES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
