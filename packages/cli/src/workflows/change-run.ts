import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf, textOf } from '../json-value.ts';
import { outputForm, printValue } from '../output.ts';
import type { RunName } from './follow-run.ts';

/** `svc workflow resume WORKFLOW RUN STEP [VALUE]`: answers a step that waits; a value that is not JSON is taken as text. */
export const resumeRun = (
  host: Host,
  { workflow, runId, stepId, value }: RunName & { readonly stepId: string; readonly value: string | undefined },
  options: GlobalOptions,
): Promise<void> =>
  change(host, options, {
    operation: 'ResumeRun',
    request: { workflow, runId, stepId, resumeJson: value === undefined ? '' : jsonOf(value) },
    done: `run ${runId} continues after ${stepId}`,
  });

/** `svc workflow cancel WORKFLOW RUN`: ends a run and everything that it began. */
export const cancelRun = (
  host: Host,
  { workflow, runId, reason }: RunName & { readonly reason: string },
  options: GlobalOptions,
): Promise<void> =>
  change(host, options, {
    operation: 'CancelRun',
    request: { workflow, runId, reason },
    done: `run ${runId} is cancelled`,
  });

interface Change {
  readonly operation: 'ResumeRun' | 'CancelRun';
  readonly request: Readonly<Record<string, string>>;
  readonly done: string;
}

const change = async (host: Host, options: GlobalOptions, { operation, request, done }: Change): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target } = await openPlain(host, options);
  const answer = await call(`WorkflowService/${operation}`, { ns: target.namespace, ...request });
  if (form.form === 'name') return host.stdout.write(`run/${textOf(mapOf(answer['run'])['id'])}\n`);
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, answer, form);
  host.stdout.write(`${done}\n`);
};

const jsonOf = (text: string): string => {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
};
