import { PermissionDecision } from '@svc/api/data';
import { TaskPhase } from '@svc/api/resources';
import type { Client } from '@svc/client';
import { allPages } from '../../api/all-pages.ts';
import { inNamespacesWith } from '../../api/namespaces-with.ts';
import { withReplyText } from '../../api/reply-text.ts';
import { usePages, useRead, useWrite } from '../../api/use-call.ts';
import { EVERYWHERE } from '../../app/scope.ts';
import {
  byUrgency,
  type HeldItem,
  heldItem,
  type InboxItem,
  type InboxSearch,
  matches,
  type RequestItem,
  requestItem,
  type StepItem,
  stepItems,
  type TaskItem,
  taskItem,
} from './inbox-item.ts';
import { texts } from './texts.ts';

/** Everything that waits, as far as it is loaded. */
export interface Inbox {
  readonly items: readonly InboxItem[];
  readonly isPending: boolean;
  /** Parts that could not be loaded; the others are shown. */
  readonly errors: readonly Error[];
  readonly reload: () => void;
  /** Loads more requests; undefined when there are none. */
  readonly more: (() => void) | undefined;
}

const REQUEST_KINDS = ['permission', 'input', 'sign_in', 'budget'];

/** What waits for people and fits the filters, the most urgent first. */
export const useInbox = (search: InboxSearch): Inbox => {
  const { kind = '', ns = EVERYWHERE, agent = '', identity = '' } = search;
  const wants = (...kinds: readonly string[]): boolean => kind === '' || kinds.includes(kind);
  const requests = usePages({
    key: ['ListPermissionRequests', ns, kind, agent, identity],
    call: (client, pageToken, signal) =>
      client.sessionControl.listPermissionRequests(
        { ns, recursive: ns !== EVERYWHERE, kind, agent, identity, pageToken },
        { signal },
      ),
    nextToken: (page) => page.nextPageToken,
    shows: { topics: ['turn'] },
    enabled: wants(...REQUEST_KINDS),
  });
  const held = useRead({
    key: ['inbox held', ns],
    call: (client, signal) => heldReplies(client, ns, signal),
    shows: { topics: ['delivery'] },
    enabled: wants('held') && identity === '',
  });
  const steps = useRead({
    key: ['inbox steps', ns],
    call: (client, signal) => suspendedSteps(client, ns, signal),
    shows: { topics: ['run'] },
    enabled: wants('step') && identity === '',
  });
  const tasks = useRead({
    key: ['inbox tasks', ns],
    call: (client, signal) => tasksInReview(client, ns, signal),
    shows: { kinds: ['Task'] },
    enabled: wants('task') && identity === '',
  });
  const parts = [requests, held, steps, tasks];
  const found = [
    ...(requests.data?.pages.flatMap((page) => page.requests.map(requestItem)) ?? []),
    ...(held.data ?? []),
    ...(steps.data ?? []),
    ...(tasks.data ?? []),
  ];
  return {
    items: found.filter((item) => matches(item, search)).sort(byUrgency),
    isPending: parts.some(({ isLoading }) => isLoading),
    errors: parts.flatMap(({ error }) => error ?? []),
    reload: () => parts.filter(({ error }) => error !== null).forEach((part) => void part.refetch()),
    more: requests.hasNextPage ? () => void requests.fetchNextPage() : undefined,
  };
};

const heldReplies = (client: Client, scope: string, signal: AbortSignal): Promise<readonly InboxItem[]> =>
  inNamespacesWith({ client, scope, signal }, ['Connector', 'ConnectorClass'], async (ns) => {
    const pages = await allPages((pageToken) =>
      client.deliveries.listDeliveries({ ns, state: 'held', pageToken }, { signal }),
    );
    return pages.flatMap(({ deliveries }) => deliveries.map(heldItem));
  });

const suspendedSteps = (client: Client, scope: string, signal: AbortSignal): Promise<readonly InboxItem[]> =>
  inNamespacesWith({ client, scope, signal }, ['Workflow'], async (ns) => {
    const pages = await allPages((pageToken) =>
      client.workflows.listRuns({ ns, workflow: '-', status: 'SUSPENDED', pageToken }, { signal }),
    );
    const runs = pages.flatMap((page) => page.runs);
    const full = await Promise.all(
      runs.map(({ workflow, id }) => client.workflows.getRun({ ns, workflow, runId: id }, { signal })),
    );
    return full.flatMap(({ run, steps }) => (run === undefined ? [] : stepItems(run, steps)));
  });

const tasksInReview = async (client: Client, ns: string, signal: AbortSignal): Promise<readonly InboxItem[]> => {
  const asked = { ns, kind: 'Task', recursive: ns !== EVERYWHERE };
  const pages = await allPages((pageToken) => client.resources.listResources({ ...asked, pageToken }, { signal }));
  return pages
    .flatMap(({ resources }) => resources)
    .flatMap((resource) => taskItem(resource) ?? [])
    .filter(({ task }) => task.status?.phase === TaskPhase.NEEDS_REVIEW);
};

/** Does the same to each item, one after the other: the first refusal stops it, and the rest stays in the list. */
const each = async <T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<number> => {
  for (const item of items) await act(item);
  return items.length;
};

interface RequestAnswer {
  readonly items: readonly RequestItem[];
  readonly isAllowed: boolean;
  /** '' for the first option with that decision. */
  readonly optionId: string;
  readonly comment: string;
  /** '' for requests that ask for no data. */
  readonly answerJson: string;
}

/** Answers requests; the number that was answered goes to `onDone`. */
export const useAnswer = (onDone: (count: number) => void) =>
  useWrite(
    (client, { items, isAllowed, ...answer }: RequestAnswer) =>
      each(items, ({ request: { id, ns, agent, sessionId } }) =>
        client.sessionControl.answerPermission({
          ns,
          agent,
          sessionId,
          requestId: id,
          decision: isAllowed ? PermissionDecision.ALLOW : PermissionDecision.DENY,
          ...answer,
        }),
      ),
    { changes: { topics: ['turn'] }, onDone },
  );

interface HeldDecision {
  readonly item: HeldItem;
  readonly does: 'release' | 'skip';
}

export const useDecideHeld = (onDone: () => void) =>
  useWrite(
    (client, { item: { delivery }, does }: HeldDecision) => {
      const named = { ns: delivery.ns, deliveryId: delivery.id };
      return does === 'release' ? client.deliveries.releaseDelivery(named) : client.deliveries.skipDelivery(named);
    },
    { changes: { topics: ['delivery'] }, onDone },
  );

/** Sends a held reply with another text. The files of the message stay. */
export const useSendEdited = (onDone: () => void) =>
  useWrite(
    async (client, { delivery, text }: { readonly delivery: HeldItem['delivery']; readonly text: string }) => {
      const { ns, agent, sessionId, messageId } = delivery;
      const { messages } = await client.gateway.getSession({ ns, agent, sessionId });
      const message = messages.find(({ id }) => id === messageId);
      if (message === undefined) throw new Error(texts.tooOld);
      return client.sessionControl.updateSessionMessage({
        ns,
        agent,
        sessionId,
        messageId,
        labels: { 'svc/connector-delivery-status': 'delivery_requested' },
        parts: withReplyText(message.parts, text),
      });
    },
    { changes: { topics: ['delivery'] }, onDone },
  );

interface Resumption {
  readonly items: readonly StepItem[];
  readonly resumeJson: string;
}

export const useResume = (onDone: (count: number) => void) =>
  useWrite(
    (client, { items, resumeJson }: Resumption) =>
      each(items, ({ run, step }) =>
        client.workflows.resumeRun({
          ns: run.ns,
          workflow: run.workflow,
          runId: run.id,
          stepId: step.stepId,
          resumeJson,
        }),
      ),
    { changes: { topics: ['run'] }, onDone },
  );

interface TaskMove {
  readonly item: TaskItem;
  readonly phase: TaskPhase;
  /** What is left to do, or how it ended. */
  readonly summary: string;
}

export const useMoveTask = (onDone: () => void) =>
  useWrite(
    (client, { item: { task }, phase, summary }: TaskMove) =>
      client.tasks.updateTask({
        ns: task.metadata?.namespace ?? '',
        name: task.metadata?.name ?? '',
        phase,
        progressSummary: summary,
        resourceVersion: task.metadata?.resourceVersion ?? '',
      }),
    { changes: { kinds: ['Task'] }, onDone },
  );
