import type { CallContext } from '../../../../auth/contract.ts';
import { formatKey, pathParent } from '../../../../resources/index.ts';
import { applyRank } from '../../../../resources/manifest/index.ts';
import type { ReadTx, ResourceKey, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import type { ManifestsDeps } from '../manifests-deps.ts';
import { APPLY_SET_LABEL } from './merge-write.ts';

const BATCH = 500;

export interface PruneQuestion {
  readonly applySet: string;
  readonly context: CallContext;
  /** What the input holds. */
  readonly kept: readonly ResourceKey[];
  /** Also namespaces, with everything in them. */
  readonly namespaces: boolean;
}

/** Members of a set that the input lacks, in the order of deletion; only where the caller may delete. */
export const prunable = async (
  deps: Pick<ManifestsDeps, 'authorizer'>,
  reads: Pick<ReadTx, 'resources'>,
  question: PruneQuestion,
): Promise<readonly StoredResource[]> => {
  const kept = new Set(question.kept.map(formatKey));
  const found: StoredResource[] = [];
  let after: ResourceKey | undefined;
  do {
    const page: readonly StoredResource[] = await reads.resources.list({
      scope: { type: 'all' },
      labels: [{ op: 'in', key: APPLY_SET_LABEL, values: [question.applySet] }],
      limit: BATCH,
      ...(after === undefined ? {} : { after }),
    });
    found.push(...page.filter((row) => !kept.has(formatKey(row.key)) && isMeant(deps, row, question)));
    after = page.length < BATCH ? undefined : page.at(-1)?.key;
  } while (after !== undefined);
  return found.sort((left, right) => deletionRank(left) - deletionRank(right));
};

const isMeant = (deps: Pick<ManifestsDeps, 'authorizer'>, row: StoredResource, question: PruneQuestion): boolean => {
  const { kind, name, namespace } = row.key;
  if (row.deletionTimestamp !== undefined) return false;
  if (kind === 'Namespace' && (!question.namespaces || row.status.includes('"isDeleted":true'))) return false;
  const target = kind === 'Namespace' ? pathParent(name) : namespace;
  return deps.authorizer.allows(question.context.caller, 'admin', { namespace: target });
};

/** Later ranks go first, and of namespaces the deepest. */
const deletionRank = ({ key }: StoredResource): number =>
  -applyRank(key.kind) - (key.kind === 'Namespace' ? 1 - 1 / (key.name.split(':').length + 1) : 0);

/** Deletes one member, as DeleteResource would. A resource that went with another one meanwhile is gone. */
export const pruneOne = async (
  deps: ManifestsDeps,
  tx: WriteTx,
  member: { readonly record: StoredResource; readonly context: CallContext },
): Promise<void> => {
  const { record, context } = member;
  if ((await tx.resources.get(record.key)) === undefined) return;
  if (record.key.kind === 'Namespace')
    await deps.namespaces.remove(tx, context, { name: record.key.name, purge: false });
  else await deps.writer.remove(tx, context, { key: record.key });
};
