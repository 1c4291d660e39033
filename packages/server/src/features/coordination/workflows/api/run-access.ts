import { isUuid, notFound } from '../../../../base/index.ts';
import { recordKey, resourceNotFound } from '../../../../resources/index.ts';
import type { ReadTx, StoredResource, WorkflowRunRow } from '../../../../store/contracts/index.ts';

/** What names a run in requests. */
export interface RunAddress {
  readonly ns: string;
  readonly workflow: string;
  readonly runId: string;
}

type Reads = Pick<ReadTx, 'resources' | 'workflowRuns'>;

/** Name that stands for every workflow of a namespace. */
export const EVERY_WORKFLOW = '-';

/** The workflow; throws WORKFLOW_NOT_FOUND. */
export const findWorkflow = async (
  reads: Pick<ReadTx, 'resources'>,
  { ns, workflow }: Pick<RunAddress, 'ns' | 'workflow'>,
): Promise<StoredResource> => {
  const key = recordKey('Workflow', ns, workflow);
  const found = await reads.resources.get(key);
  if (found === undefined) throw resourceNotFound(key);
  return found;
};

/** A run of the workflow, or with `-` of any workflow of the namespace; throws WORKFLOW_NOT_FOUND or RUN_NOT_FOUND. */
export const findRun = async (reads: Reads, address: RunAddress): Promise<WorkflowRunRow> => {
  const { ns, workflow, runId } = address;
  const isAny = workflow === EVERY_WORKFLOW;
  const record = isAny ? undefined : await findWorkflow(reads, address);
  const row = isUuid(runId) ? await reads.workflowRuns.get({ id: runId }) : undefined;
  const isIts = row !== undefined && (record === undefined ? row.namespace === ns : row.workflowUid === record.uid);
  if (!isIts) throw notFound('Run', { ns, workflow, run_id: runId });
  return row;
};
