import type { NamespaceSpec } from '@svc/api/resources';
import { Fault } from '../../../base/index.ts';
import { type KindContract, kindContract, type SpecWrite } from '../../../controllers/contract.ts';
import { kindRow, messageFromText, namespaceDeleted, refusal } from '../../../resources/index.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import type { NamespaceAncestry } from './namespace-ancestry.ts';
import type { NamespaceDirectory } from './namespace-directory.ts';
import {
  ANCESTORS_ANNOTATION,
  checkDepth,
  checkSpec,
  judgeNamespace,
  namespaceState,
  PARENT_LABEL,
  parentMismatch,
} from './namespace-rules.ts';

export interface NamespaceKindDeps {
  readonly directory: NamespaceDirectory;
  readonly ancestry: NamespaceAncestry;
}

type Write = SpecWrite<NamespaceSpec>;
type Status = Parameters<typeof judgeNamespace>[0];

/** Status message of a stored namespace. */
export const statusOf = (record: StoredResource): Status =>
  messageFromText(kindRow('Namespace').status, record.status) as Status;

/** FAILED_PRECONDITION PARENT_MISSING. */
export const parentMissing = (parent: string): Fault =>
  new Fault('FAILED_PRECONDITION', 'PARENT_MISSING', `parent namespace does not exist: ${parent}`, {
    metadata: { ns: parent },
  });

/** How namespaces are written, whichever operation writes them. */
export const namespaceContract = (deps: NamespaceKindDeps): KindContract =>
  kindContract<NamespaceSpec>({
    kind: 'Namespace',
    validate: (write) => checkSpec(write.key.name, write.spec),
    admit: (tx, write) => admit(deps, tx, write),
    systemKeys: async (tx, write) => {
      if (write.current !== undefined) return {};
      const ancestors = await ancestorsOf(deps, tx, write.spec.parent);
      return {
        labels: { [PARENT_LABEL]: write.spec.parent },
        annotations: { [ANCESTORS_ANNOTATION]: ancestors.length === 0 ? undefined : ancestors.join(',') },
      };
    },
    observe: async (tx, write) =>
      judgeNamespace(write.current === undefined ? undefined : statusOf(write.current), {
        now: tx.now(),
        generation: write.generation,
        deletedAt: write.current === undefined ? 0 : namespaceState(write.current).deletedAt,
      }),
    applied: async (tx, write) => tx.afterCommit(() => deps.ancestry.note(write.stored)),
    removing: async (tx, record) => tx.afterCommit(() => deps.ancestry.forget(record)),
  });

const ancestorsOf = async (deps: NamespaceKindDeps, tx: WriteTx, parent: string): Promise<readonly string[]> =>
  parent === '' ? [] : [parent, ...(await deps.directory.ancestors(tx, parent))];

const admit = async (deps: NamespaceKindDeps, tx: WriteTx, write: Write): Promise<void> => {
  const { parent } = write.spec;
  if (write.current !== undefined) {
    const state = namespaceState(write.current);
    if (state.isDeleted) throw namespaceDeleted(write.key.name);
    if (state.parent !== parent) throw refusal([parentMismatch(state.parent)]);
    return;
  }
  if (parent === '') return;
  const above = await deps.directory.find(tx, parent);
  if (above === undefined) throw parentMissing(parent);
  if (above.isDeleted) throw namespaceDeleted(parent);
  const faults = checkDepth([parent, ...above.ancestors]);
  if (faults.length > 0) throw refusal(faults);
};
