import type { ObjectLinks } from '../../features/authoring/files/index.ts';
import { requireScope, resourceOperations } from '../../features/authoring/manifests/index.ts';
import { namespaceOperations, PastAncestry } from '../../features/authoring/namespaces/index.ts';
import { auditSecretReads } from '../../features/authoring/secrets/index.ts';
import { agentOperations } from '../../features/conversation/agents/index.ts';
import {
  type SessionLimits,
  type SessionsDeps,
  sessionActivity,
  sessionsFeature,
} from '../../features/conversation/sessions/index.ts';
import { chatRoutes, consoleRoutes } from '../../features/conversation/ui/index.ts';
import { ChannelActivities } from '../../features/coordination/channels/index.ts';
import { accessOperations } from '../../features/platform/access/index.ts';
import type { HttpRoute, Operation } from '../../operations/index.ts';
import type { ReadTx, StoredResource } from '../../store/contracts/index.ts';
import type { Config } from '../config/index.ts';
import { GuardedFetch } from '../outbound/index.ts';
import { authoringOperations } from './authoring.ts';
import { coordinationOperations } from './coordination.ts';
import type { Engines } from './engines.ts';
import { type PlatformParts, platformOperations } from './platform.ts';
import type { ResourceParts } from './resources.ts';
import type { TurnParts } from './turns.ts';

/** Bytes of decoded messages kept for lists. */
const MESSAGE_CACHE_BYTES = 32 * 1024 * 1024;

/** The parts every feature is built from. */
export interface AppParts {
  readonly config: Config;
  readonly engines: Engines;
  readonly resources: ResourceParts;
  readonly turns: TurnParts;
  readonly platform: PlatformParts;
}

const sessionLimits = (config: Config): SessionLimits => ({
  messageBytes: config.settings['limits.messageBytes'],
  responseBytes: config.settings['limits.responseBytes'],
  labels: config.settings['limits.labels'],
  batchSessions: config.settings['limits.batchSessions'],
  waitSeconds: config.settings['deadlines.waitSeconds'] / 1000,
  idempotencyHours: config.settings['idempotency.hours'] / 3_600_000,
  messageCacheBytes: MESSAGE_CACHE_BYTES,
});

const sessionsDeps = ({ config, engines, resources, turns }: AppParts): SessionsDeps => ({
  store: engines.store,
  bus: engines.bus,
  clock: engines.clock,
  ids: engines.ids,
  views: resources.views,
  authorizer: resources.authorizer,
  audit: resources.audit,
  admission: turns.runtime.admission,
  lifecycle: turns.runtime.lifecycle,
  streams: turns.streams,
  cursors: turns.cursors,
  agents: resources.agents,
  namespaces: resources.tree,
  objects: turns.objects,
  fetcher: new GuardedFetch({ allow: config.settings['net.allow'] }),
  limits: sessionLimits(config),
});

/** Phase and times of sessions for the generic reads. They are in the session rows: a turn makes no new resource version. */
const sessionFacts = async (
  reads: ReadTx,
  records: readonly StoredResource[],
): Promise<ReadonlyMap<string, string>> => {
  const facts = new Map<string, string>();
  for (const { uid, key } of records) {
    const row = await reads.log.session(key.name);
    if (row !== undefined) facts.set(uid, sessionActivity(row));
  }
  return facts;
};

/** The console's multiplexed stream. */
const consoleOf = (parts: AppParts, sessions: ReturnType<typeof sessionsFeature>): readonly HttpRoute[] => {
  const { engines, resources, turns } = parts;
  const { bus, clock, ids, log, store } = engines;
  const { feed, views, authorizer, ancestry } = resources;
  return consoleRoutes({
    sessions: sessions.console,
    channels: new ChannelActivities({ bus, epoch: store.epoch }),
    streams: turns.streams,
    changes: feed,
    views,
    bus,
    authorizer,
    ancestorsAt: (namespace, version) => ancestry.ancestorsAt(namespace, version),
    requireNamespace: (namespace) => requireScope(store.direct, namespace),
    clock,
    ids,
    log,
  });
};

/** Every operation and plain route this build serves; each feature mounts itself. */
export const surfaceOf = (
  parts: AppParts,
  links: ObjectLinks,
): { readonly operations: readonly Operation[]; readonly routes: readonly HttpRoute[] } => {
  const { config, engines, resources, turns } = parts;
  const { store, ids, clock } = engines;
  const { views, writer, authorizer, feed, ancestry, namespaceService } = resources;
  const responseBytes = config.settings['limits.responseBytes'];
  const sessions = sessionsFeature(sessionsDeps(parts));
  const namespaces = {
    remove: namespaceService.remove.bind(namespaceService),
    create: namespaceService.create.bind(namespaceService),
    descendants: resources.descendants,
    pastAncestry: (isOver: () => boolean) =>
      new PastAncestry({ resources: store.direct.resources, live: ancestry, isOver }),
  };
  const streamLimits = {
    events: config.settings['limits.streamBufferEvents'],
    bytes: config.settings['limits.streamBufferBytes'],
  };
  const requestBytes = config.settings['limits.uiRequestBytes'];
  const messageBytes = config.settings['limits.messageBytes'];
  return {
    operations: [
      ...namespaceOperations({ store, service: namespaceService, authorizer, views, responseBytes }),
      ...agentOperations({ store, writer, authorizer, views, ids, seal: engines.secretKeys.ring, responseBytes }),
      ...authoringOperations(parts),
      ...sessions.operations,
      ...auditSecretReads(
        resourceOperations({
          audit: resources.audit,
          store,
          writer,
          feed,
          authorizer,
          views,
          namespaces,
          fill: (key, spec) => resources.contractOf(key.kind)?.defaults?.(spec, key) ?? spec,
          clock,
          responseBytes,
          streamLimits,
          activity: { Session: sessionFacts, UsagePolicy: parts.platform.usageFacts },
        }),
        { store, audit: resources.audit },
      ),
      ...coordinationOperations(parts),
      ...platformOperations(parts),
      ...accessOperations({ store, descendants: resources.descendants, version: config.transport.version }),
    ],
    routes: [
      ...chatRoutes({
        sessions: sessions.chat,
        streams: turns.streams,
        links,
        authorizer,
        requestBytes,
        messageBytes,
        clock,
      }),
      ...consoleOf(parts, sessions),
      links.route(),
    ],
  };
};
