/**
 * features/authoring/namespaces: the tree of namespaces: the four operations, tombstones with grace, revival and purge, and what others
 * ask about a namespace (gate for writes, ancestors, labels). Does not know what lives in a namespace: removal goes through
 * the kind contracts. app wires it; runtime gets the directory as its NamespaceGate, auth the ancestry.
 */
import { create } from '@bufbuild/protobuf';
import { NamespaceSpecSchema } from '@svc/api/resources';
import type { ResourceWriter, WriteOrigin } from '../../../controllers/contract.ts';
import { DEFAULT_NAMESPACE, namespaceKey, SYSTEM_NAMESPACE } from '../../../resources/index.ts';
import type { Store } from '../../../store/contracts/index.ts';

export { NamespaceAncestry } from './namespace-ancestry.ts';
export { descendantNames, NamespaceDirectory } from './namespace-directory.ts';
export { namespacesModule } from './namespaces-module.ts';

/** Creates `system` and `default` where they are missing; called at every start. */
export const ensureNamespaces = async (
  store: Pick<Store, 'write'>,
  writer: ResourceWriter,
  origin: WriteOrigin,
): Promise<void> => {
  await store.write(async (tx) => {
    for (const name of [SYSTEM_NAMESPACE, DEFAULT_NAMESPACE]) {
      const key = namespaceKey(name);
      if ((await tx.resources.get(key)) !== undefined) continue;
      await writer.create(tx, origin, { key, spec: create(NamespaceSpecSchema, { parent: '' }) });
    }
  });
};
