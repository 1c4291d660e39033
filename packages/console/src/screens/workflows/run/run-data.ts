import type { SessionMessage, WorkflowRun, WorkflowRunEvent } from '@svc/api/data';
import type { ListRunsResponse, RunResponse } from '@svc/api/gateway';
import type { UseInfiniteQueryResult, UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient } from '../../../access/access-context.ts';
import { usePages, useRead, useWrite } from '../../../api/use-call.ts';
import { isFinal } from '../../../live/is-final.ts';
import { pauseFor } from '../../../live/pause-for.ts';

/** What names a run. */
export interface RunAddress {
  readonly ns: string;
  readonly workflow: string;
  readonly runId: string;
}

const RUNS = { topics: ['run'] } as const;

/** Runs of a workflow, newest first; '' is every state. */
export const useRuns = (
  ns: string,
  workflow: string,
  status: string,
): UseInfiniteQueryResult<{ readonly pages: readonly ListRunsResponse[] }> =>
  usePages({
    key: ['ListRuns', ns, workflow, status],
    call: (client, pageToken, signal) =>
      client.workflows.listRuns({ ns, workflow, status, pageToken, pageSize: 100 }, { signal }),
    nextToken: (page) => page.nextPageToken,
    shows: RUNS,
  });

export const useRun = ({ ns, workflow, runId }: RunAddress): UseQueryResult<RunResponse> =>
  useRead({
    key: ['GetRun', ns, workflow, runId],
    call: (client, signal) => client.workflows.getRun({ ns, workflow, runId }, { signal }),
    shows: RUNS,
    enabled: runId !== '',
    keepsFormer: false,
  });

/** Starts a run with an input as JSON. */
export const useStartRun = (
  ns: string,
  onDone: (run: WorkflowRun) => void,
): UseMutationResult<RunResponse, Error, { readonly workflow: string; readonly inputJson: string }> =>
  useWrite((client, { workflow, inputJson }) => client.workflows.createRun({ ns, workflow, inputJson }), {
    changes: RUNS,
    onDone: ({ run }) => run && onDone(run),
  });

export const useCancelRun = (address: RunAddress): UseMutationResult<RunResponse, Error, void> =>
  useWrite((client) => client.workflows.cancelRun(address), { changes: RUNS });

/** Gives a suspended step its answer as JSON. */
export const useResumeRun = (
  address: RunAddress,
  onDone: () => void,
): UseMutationResult<RunResponse, Error, { readonly stepId: string; readonly resumeJson: string }> =>
  useWrite((client, answer) => client.workflows.resumeRun({ ...address, ...answer }), { changes: RUNS, onDone });

/** Messages of the conversation that a step had. */
export const useStepTalk = (ns: string, agent: string, sessionId: string): UseQueryResult<readonly SessionMessage[]> =>
  useRead({
    key: ['ListSessionMessages', ns, agent, sessionId],
    call: async (client, signal) => {
      const { items } = await client.gateway.listSessionMessages({ ns, agent, sessionId }, { signal });
      return items.flatMap(({ message }) => message ?? []);
    },
    shows: { topics: ['message'] },
    enabled: agent !== '' && sessionId !== '',
  });

const WAIT_MS = 2_000;

/**
 * The history of a run, which grows while it runs; a lost connection is taken up behind the last event. `error` is set, and nothing more
 * is tried, where it cannot be read.
 */
export const useRunEvents = ({
  ns,
  workflow,
  runId,
}: RunAddress): { readonly events: readonly WorkflowRunEvent[]; readonly error: Error | undefined } => {
  const client = useClient();
  const [events, setEvents] = useState<readonly WorkflowRunEvent[]>([]);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let after = '';
    /** True once the run has ended, or when another try would not help. */
    const readOnce = async (): Promise<boolean> => {
      try {
        for await (const event of client.workflows.streamRunEvents({ ns, workflow, runId, after }, { signal })) {
          after = event.id;
          setEvents((before) => [...before, event]);
        }
        return true;
      } catch (thrown) {
        if (isFinal(thrown) && !signal.aborted) {
          setError(thrown);
          return true;
        }
        // The line at the bottom of the page tells of the lost connection; what is shown stays.
        return false;
      }
    };
    const follow = async (): Promise<void> => {
      while (!signal.aborted && !(await readOnce())) await pauseFor(WAIT_MS, signal);
    };
    setEvents([]);
    setError(undefined);
    void follow();
    return () => stop.abort();
  }, [client, ns, workflow, runId]);
  return { events, error };
};
