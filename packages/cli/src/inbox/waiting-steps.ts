import type { JsonObject } from '@bufbuild/protobuf';
import { isSvcError } from '@svc/client/error';
import type { PlainContext } from '../context.ts';
import { mapOf, mapsOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';

/** A step of a workflow that waits for a person. */
export interface WaitingStep {
  readonly namespace: string;
  readonly runId: string;
  readonly workflow: string;
  readonly stepId: string;
  readonly prompt: string;
}

/** Runs of a namespace whose steps one command shows at most. */
const RUNS_SHOWN = 500;

/** Steps that wait for a person, in `ns` (`-` for every namespace) and with `recursive` in those below it. */
export const waitingSteps = async (
  { call }: Pick<PlainContext, 'call'>,
  { ns, recursive }: { readonly ns: string; readonly recursive: boolean },
): Promise<readonly WaitingStep[]> => {
  const namespaces = ns === '-' || recursive ? await namespacesOfWorkflows(call, { ns, recursive }) : [ns];
  const found: WaitingStep[] = [];
  for (const namespace of namespaces) found.push(...(await stepsIn(call, namespace)));
  return found;
};

/** ListRuns answers for one namespace; only those with workflows can have runs. */
const namespacesOfWorkflows = async (
  call: PlainContext['call'],
  place: { readonly ns: string; readonly recursive: boolean },
): Promise<readonly string[]> => {
  const request = { ...place, kind: 'Workflow', metadataOnly: true, member: 'resources' };
  const limit = Number.POSITIVE_INFINITY;
  const workflows = await listItems({ call, limit }, 'ResourceService/ListResources', request).catch(hidden);
  return [...new Set(workflows.map((workflow) => textOf(mapOf(workflow['metadata'])['namespace'])))];
};

const stepsIn = async (call: PlainContext['call'], namespace: string): Promise<readonly WaitingStep[]> => {
  const request = { ns: namespace, workflow: '-', status: 'SUSPENDED', member: 'runs' };
  const runs = await listItems({ call, limit: RUNS_SHOWN }, 'WorkflowService/ListRuns', request).catch(hidden);
  const found: WaitingStep[] = [];
  for (const run of runs) {
    const [runId, workflow] = [textOf(run['id']), textOf(run['workflow'])];
    const { steps } = await call('WorkflowService/GetRun', { ns: namespace, workflow, runId });
    for (const step of mapsOf(steps).filter(waitsForPerson))
      found.push({
        namespace,
        runId,
        workflow,
        stepId: textOf(step['stepId']),
        prompt: textOf(shownOf(step)['prompt']),
      });
  }
  return found;
};

/** A wait for a time asks a person only if it has a prompt, or a schema of the answer that ends it early. */
const waitsForPerson = (step: JsonObject): boolean => {
  const { prompt, schema } = shownOf(step);
  const hasTime = textOf(step['waitUntilAt']) !== '';
  return textOf(step['status']) === 'SUSPENDED' && (!hasTime || textOf(prompt) !== '' || schema !== undefined);
};

/** What a suspended step shows to people. */
const shownOf = (step: JsonObject): JsonObject => JSON.parse(textOf(step['suspendJson']) || '{}') as JsonObject;

/** Callers whose grant is of one agent or session see no runs, and a former release has none. */
const hidden = (error: unknown): readonly JsonObject[] => {
  const isHidden = isSvcError(error) && ['PERMISSION_DENIED', 'UNIMPLEMENTED'].includes(error.code);
  if (isHidden) return [];
  throw error;
};
