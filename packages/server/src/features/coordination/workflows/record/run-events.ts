import type { Bus, WorkflowEventRow, WriteTx } from '../../../../store/contracts/index.ts';
import type { RunState } from './run-rows.ts';

/** What happened in a run, as its stream shows it. */
export type RunEventType =
  | 'run_started'
  | 'step_started'
  | 'step_completed'
  | 'step_skipped'
  | 'step_failed'
  | 'step_retry_scheduled'
  | 'step_cancelled'
  | 'run_suspended'
  | 'run_resumed'
  | 'reply_sent'
  | 'reply_failed'
  | 'run_completed'
  | 'run_failed'
  | 'run_cancelled';

/** Types after which a stream ends. */
export const TERMINAL_EVENTS: ReadonlySet<string> = new Set(['run_completed', 'run_failed', 'run_cancelled']);

export interface NewRunEvent {
  readonly type: RunEventType;
  readonly stepId?: string;
  readonly message?: string;
  /** Further facts by name. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** Body of the row of an event; `at` in micros. */
export interface RunEventBody extends NewRunEvent {
  readonly at: number;
}

/** A stored event as followers get it. */
export interface RunEvent extends RunEventBody {
  readonly sequence: number;
}

/** Bus subject of the events of a run; the message is a RunEvent. */
export const runSubject = (runId: string): string => `wf.${runId}`;

/** Bus subject of the events of all runs, for those who show many of them; the message is a RunActivity. */
export const RUN_ACTIVITY = 'workflow.activity';

export interface RunActivity {
  readonly run: Pick<RunState, 'id' | 'namespace' | 'workflow'>;
  readonly event: RunEvent;
}

/** The event in a row. */
export const eventOf = ({ sequence, body }: WorkflowEventRow): RunEvent => ({
  sequence,
  ...(JSON.parse(body) as RunEventBody),
});

/** Adds an event to the run, whose row the transaction holds and writes afterwards. Followers see it once it is durable. */
export const addEvent = async (
  bus: Pick<Bus, 'publish'>,
  { tx, run }: { readonly tx: WriteTx; readonly run: RunState },
  event: NewRunEvent,
): Promise<void> => {
  run.events += 1;
  const sequence = run.events;
  const body: RunEventBody = { ...event, at: tx.now() };
  await tx.workflowEvents.put({ runId: run.id, sequence, body: JSON.stringify(body) });
  const { id, namespace, workflow } = run;
  const added: RunEvent = { ...body, sequence };
  const activity: RunActivity = { run: { id, namespace, workflow }, event: added };
  tx.afterCommit(() => {
    bus.publish(runSubject(id), added);
    bus.publish(RUN_ACTIVITY, activity);
  });
};
