import { toJson } from '@bufbuild/protobuf';
import { type WorkflowRunEvent, WorkflowRunEventSchema } from '@svc/api/data';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { liveEvents } from '../live-stream.ts';
import { outputForm } from '../output.ts';
import { harmless, localTime, type Style, styleFor } from '../terminal/index.ts';

/** A run and its workflow. */
export interface RunName {
  readonly workflow: string;
  readonly runId: string;
}

/** `svc workflow events WORKFLOW RUN`: what happened in a run and what happens, until it ends; fails unless it completes. */
export const followRun = async (host: Host, { workflow, runId }: RunName, options: GlobalOptions): Promise<void> => {
  const { form } = outputForm(options.output);
  const isJson = form === 'json' || form === 'jsonl';
  if (!isJson && form !== 'table' && form !== 'wide')
    throw new CommandFailure(`the events of a run have no form ${form}`, { hint: 'table or jsonl' });
  const context = await openContext(host, options);
  const { client, target } = context;
  const style = styleFor(host.stdout, host.environment, options.color);
  let after = '';
  let last = '';
  const source = {
    canResume: () => true,
    open: (signal: AbortSignal, onOpen: () => void) =>
      client.workflows.streamRunEvents({ ns: target.namespace, workflow, runId, after }, { signal, onOpen }),
  };
  for await (const event of liveEvents(context, source)) {
    after = event.id;
    last = event.type;
    const line = isJson ? `${JSON.stringify(toJson(WorkflowRunEventSchema, event))}\n` : eventLine(event, style);
    host.stdout.write(line);
  }
  if (last === 'run_failed' || last === 'run_cancelled')
    throw new CommandFailure(`run ${runId} ${last === 'run_failed' ? 'failed' : 'was cancelled'}`);
};

const eventLine = ({ timestamp, type, stepId, message }: WorkflowRunEvent, style: Style): string => {
  const text = [type.replaceAll('_', ' '), stepId, message].filter(Boolean).join('  ');
  return `${style.dim(localTime(Number(timestamp) / 1_000))} ${harmless(text)}\n`;
};
