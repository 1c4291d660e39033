import { createAuditAppender, GrantAuthorizer } from '../../auth/index.ts';
import {
  type KindFacade,
  RESOURCES_CHANGED,
  StoreChangeFeed,
  StoredKindFacade,
  TransactionalResourceWriter,
} from '../../controllers/index.ts';
import { valueReader } from '../../features/authoring/manifests/index.ts';
import { descendantNames, NamespaceAncestry, NamespaceDirectory } from '../../features/authoring/namespaces/index.ts';
import { labelLimits, ResourceViews } from '../../resources/index.ts';
import type { ReadTx } from '../../store/contracts/index.ts';
import type { Config } from '../config/index.ts';
import type { Engines } from '../engines/index.ts';
import { KindRegistry } from '../kind-registry.ts';
import { POLL_MS } from '../machinery.ts';

/** What every feature may be made of: the engines, the one write pipeline, and who may see what. Kinds are added later. */
export const wireHost = (config: Config, engines: Engines) => {
  const { store, bus, blobs, clock, ids, random, log, secretKeys } = engines;
  const { settings } = config;
  const { ring: seal } = secretKeys;
  const kinds = new KindRegistry();
  const namespaces = new NamespaceDirectory();
  const ancestry = new NamespaceAncestry();
  const ancestorsOf = (namespace: string): readonly string[] => ancestry.ancestors(namespace);
  const authorizer = new GrantAuthorizer(ancestorsOf);
  const audit = createAuditAppender(ids);
  const notify = (version: number): void => bus.publish(RESOURCES_CHANGED, { version });
  const writer = new TransactionalResourceWriter({
    contracts: kinds.contracts,
    namespaces,
    audit,
    ids,
    seal,
    limits: { ...labelLimits(settings), resourceBytes: settings['limits.resourceBytes'] },
    readsValues: valueReader(authorizer),
    notify,
  });
  const responseBytes = settings['limits.responseBytes'];
  return {
    settings,
    store,
    bus,
    blobs,
    clock,
    ids,
    random,
    log,
    seal,
    kinds,
    namespaces,
    ancestry,
    ancestorsOf,
    authorizer,
    audit,
    notify,
    writer,
    contractOf: kinds.find,
    descendants: descendantNames,
    visibleNamespaces: (reads: Pick<ReadTx, 'resources'>, namespace: string) => namespaces.visible(reads, namespace),
    views: new ResourceViews(undefined, seal),
    feed: new StoreChangeFeed({ store, bus, clock, log, pollMs: POLL_MS }),
    /** Upsert, read, delete and list of one kind. */
    facade: (kind: string): KindFacade => new StoredKindFacade(kind, { store, writer, responseBytes }),
  };
};

export type Host = ReturnType<typeof wireHost>;
