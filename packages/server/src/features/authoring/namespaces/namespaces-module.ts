import type { Authorizer } from '../../../auth/contract.ts';
import type { AppendAudit, ResourceWriter } from '../../../controllers/contract.ts';
import type { ResourceViews } from '../../../resources/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import type { NamespaceAncestry } from './namespace-ancestry.ts';
import { descendantNames, type NamespaceDirectory } from './namespace-directory.ts';
import { namespaceContract } from './namespace-kind.ts';
import { namespaceOperations } from './namespace-operations.ts';
import { NamespacePurge } from './namespace-purge.ts';
import { NamespaceService, type NamespaceServiceDeps, type NamespaceTurns } from './namespace-service.ts';
import { PastAncestry } from './past-ancestry.ts';

interface NamespacesModuleDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
  readonly audit: AppendAudit;
  readonly directory: NamespaceDirectory;
  readonly ancestry: NamespaceAncestry;
  readonly turns: NamespaceTurns;
  readonly requireContents: NamespaceServiceDeps['requireContents'];
  readonly authorizer: Pick<Authorizer, 'allows'>;
  readonly views: ResourceViews;
  /** The first in milliseconds, the second in bytes. */
  readonly settings: { readonly 'namespaces.graceSeconds': number; readonly 'limits.responseBytes': number };
}

interface NamespacesModule extends FeatureModule {
  /** What those who read and write resources of any kind need of namespaces. */
  readonly tree: Pick<NamespaceService, 'create' | 'remove'> & {
    readonly descendants: typeof descendantNames;
    readonly pastAncestry: (isOver: () => boolean) => PastAncestry;
  };
}

/** The kind Namespace, its operations, and the end of what deleted ones held. */
export const namespacesModule = (deps: NamespacesModuleDeps): NamespacesModule => {
  const { store, ancestry, settings } = deps;
  const service = new NamespaceService({ ...deps, graceSeconds: settings['namespaces.graceSeconds'] / 1_000 });
  return {
    kinds: [namespaceContract(deps)],
    workers: [new NamespacePurge(deps)],
    operations: namespaceOperations({ ...deps, service, responseBytes: settings['limits.responseBytes'] }),
    tree: {
      create: service.create.bind(service),
      remove: service.remove.bind(service),
      descendants: descendantNames,
      pastAncestry: (isOver: () => boolean) =>
        new PastAncestry({ resources: store.direct.resources, live: ancestry, isOver }),
    },
  };
};
