import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type ScopeOptions } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf, mapsOf, msOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';
import { outputForm, phaseTable, printList, printValue } from '../output.ts';
import { age, harmless, shortLine } from '../terminal/index.ts';
import type { RunName } from './follow-run.ts';

export interface ListRunsOptions extends GlobalOptions, ScopeOptions {
  readonly status?: string;
}

/** Runs that one command shows at most unless --limit says otherwise. */
const SHOWN = 100;
const TEXT_SHOWN = 60;

/** `svc workflow list [WORKFLOW]`: runs of a workflow, or of all of the namespace, newest first. */
export const listRuns = async (host: Host, workflow: string | undefined, options: ListRunsOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openPlain(host, options);
  const { call, target, note } = context;
  const { status = '', selector: labelSelector = '' } = options;
  const request = { ns: target.namespace, workflow: workflow ?? '-', status, labelSelector, member: 'runs' };
  const runs = await listUpTo(context, context.limit ?? SHOWN, (limit) =>
    listItems({ call, limit }, 'WorkflowService/ListRuns', request),
  );
  if (form.form === 'name') return host.stdout.write(runs.map(({ id }) => `run/${textOf(id)}\n`).join(''));
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: runs }, form);
  if (runs.length === 0) return note(`no runs in namespace ${target.namespace}`);
  const now = host.nowMs();
  const rows = runs.map((run) => [
    textOf(run['id']),
    textOf(run['workflow']),
    textOf(run['status']),
    age(msOf(run['createdAt']), now),
    shortLine(textOf(run['error']) || textOf(run['outputJson']), TEXT_SHOWN) || '-',
  ]);
  host.stdout.write(
    phaseTable(host, { headings: ['RUN', 'WORKFLOW', 'STATE', 'AGE', 'RESULT'], rows, color: options.color }),
  );
};

/** `svc workflow get WORKFLOW RUN`: a run with its steps. */
export const showRun = async (host: Host, { workflow, runId }: RunName, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target } = await openPlain(host, options);
  const answer = await call('WorkflowService/GetRun', { ns: target.namespace, workflow, runId });
  const run = mapOf(answer['run']);
  if (form.form === 'name') return host.stdout.write(`run/${textOf(run['id'])}\n`);
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, answer, form);
  const facts = [
    ['Run', textOf(run['id'])],
    ['Workflow', textOf(run['workflow'])],
    ['Status', textOf(run['status'])],
    ['Input', textOf(run['inputJson'])],
    ['Output', textOf(run['outputJson'])],
    ['Error', textOf(run['error'])],
  ].filter(([, value]) => value !== '');
  host.stdout.write(facts.map(([name = '', value = '']) => `${`${name}:`.padEnd(10)}${harmless(value)}\n`).join(''));
  const rows = mapsOf(answer['steps']).map((step) => [
    textOf(step['stepId']),
    textOf(step['status']),
    textOf(step['attempt']),
    textOf(step['childSessionId']) || textOf(step['childWorkflowRunId']) || '-',
    shortLine(resultOf(step), TEXT_SHOWN) || '-',
  ]);
  if (rows.length === 0) return;
  host.stdout.write('\n');
  host.stdout.write(
    phaseTable(host, { headings: ['STEP', 'STATE', 'TRIES', 'CHILD', 'RESULT'], rows, color: options.color }),
  );
};

const resultOf = (step: JsonObject): string =>
  textOf(step['error']) || textOf(step['outputJson']) || textOf(step['suspendJson']);
