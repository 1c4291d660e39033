import type { CallContext } from '../../../../auth/contract.ts';
import { notAllowed, placeOf } from '../../../../auth/index.ts';
import { invalidField } from '../../../../base/index.ts';
import { isName, nameForm, namespaceKey, pathAncestors, pathParent } from '../../../../resources/index.ts';
import type { WriteTx } from '../../../../store/contracts/index.ts';
import type { ManifestsDeps } from '../manifests-deps.ts';

/**
 * Creates a namespace and what is missing above it; one that exists stays as it is, a tombstone too. A name that none
 * can have is a fault of `field`, where the request has it.
 */
export const createMissing = async (
  deps: Pick<ManifestsDeps, 'namespaces' | 'authorizer'>,
  tx: WriteTx,
  wanted: { readonly name: string; readonly field: string; readonly context: CallContext },
): Promise<void> => {
  const { name, field, context } = wanted;
  if (name === '' || (await tx.resources.get(namespaceKey(name))) !== undefined) return;
  let top = name;
  for (const above of pathAncestors(name)) {
    if ((await tx.resources.get(namespaceKey(above))) !== undefined) break;
    top = above;
  }
  if (!deps.authorizer.allows(context.caller, 'admin', { namespace: pathParent(top) }))
    throw notAllowed(
      context.caller,
      `${placeOf({ namespace: pathParent(top) })}, where namespace ${top} would be created`,
    );
  if (!isName('namespace', name)) throw invalidField(field, `must be ${nameForm.namespace}`);
  await deps.namespaces.create(tx, context, { name, parent: '', recursive: true, labels: {}, annotations: {} });
};
