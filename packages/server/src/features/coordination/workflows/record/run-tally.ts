import { createHash } from 'node:crypto';
import type { WriteTx } from '../../../../store/contracts/index.ts';

/** Rows that count the runs of one namespace. */
const SHARDS = 16;

const shardOf = (runId: string): number => (createHash('sha256').update(runId).digest()[0] ?? 0) % SHARDS;

/** Unfinished runs of a namespace; some that begin or end right now may be missing. */
export const activeRuns = async (tx: Pick<WriteTx, 'workflowTallies'>, namespace: string): Promise<number> => {
  const rows = await tx.workflowTallies.page('ofNamespace', { namespace }, { limit: SHARDS });
  return rows.reduce((sum, { active }) => sum + active, 0);
};

/** Counts a run that begins (1) or ends (-1). */
export const countRun = async (
  tx: WriteTx,
  { id, namespace }: { readonly id: string; readonly namespace: string },
  change: 1 | -1,
): Promise<void> => {
  const key = { namespace, shard: shardOf(id) };
  const active = ((await tx.workflowTallies.get(key))?.active ?? 0) + change;
  await (active === 0 ? tx.workflowTallies.remove(key) : tx.workflowTallies.put({ ...key, active }));
};
