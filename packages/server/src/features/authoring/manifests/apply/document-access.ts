import type { CallContext } from '../../../../auth/contract.ts';
import { notAllowed, placeOf } from '../../../../auth/index.ts';
import type { Fault } from '../../../../base/index.ts';
import { pathParent } from '../../../../resources/index.ts';
import type { WriteTx } from '../../../../store/contracts/index.ts';
import type { ManifestsDeps } from '../manifests-deps.ts';
import type { Applied } from './apply-document.ts';
import type { InputDocument } from './manifest-input.ts';

type AccessDeps = Pick<ManifestsDeps, 'authorizer'>;

/**
 * Refuses a document of a text that no grant of the caller covers. A Namespace belongs to its parent; its own admin may still have it
 * among the documents, as an export has, as long as it changes nothing: see `withoutChange`.
 */
export const requireGrant = (deps: AccessDeps, document: InputDocument, context: CallContext): void => {
  const { kind, name } = document;
  if (kind === '' || mayChange(deps, document, context)) return;
  const isOwn = kind === 'Namespace' && deps.authorizer.allows(context.caller, 'admin', { namespace: name });
  if (!isOwn) throw documentDenied(document, context);
};

/** True when the caller is an admin of the namespace that holds the document's resource. */
export const mayChange = (deps: AccessDeps, document: InputDocument, { caller }: CallContext): boolean =>
  deps.authorizer.allows(caller, 'admin', { namespace: holderOf(document) });

/**
 * Runs the write of a document that its caller may not change and takes it back, ownership of fields included: what is left is the
 * knowledge that it changes nothing. Throws PERMISSION_DENIED when it would.
 */
export const withoutChange = async (
  tx: WriteTx,
  write: (tx: WriteTx) => Promise<Applied>,
  { document, context }: { readonly document: InputDocument; readonly context: CallContext },
): Promise<Applied> => {
  let written: Applied | undefined;
  const undo = new Error('taken back');
  await tx
    .savepoint(async () => {
      written = await write(tx);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  if (written?.outcome !== 'unchanged') throw documentDenied(document, context);
  return written;
};

const holderOf = ({ kind, namespace, name }: InputDocument): string =>
  kind === 'Namespace' ? pathParent(name) : namespace;

const documentDenied = (document: InputDocument, { caller }: CallContext): Fault => {
  const { kind, namespace, name } = document;
  const subject = `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
  return notAllowed(caller, `${placeOf({ namespace: holderOf(document) })}, where ${subject} belongs`);
};
