import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type PlainContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { msOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';
import { outputForm, printList } from '../output.ts';
import { age, renderTable, shortLine } from '../terminal/index.ts';
import { type WaitingStep, waitingSteps } from './waiting-steps.ts';

export interface InboxOptions extends GlobalOptions {
  readonly allNamespaces?: boolean;
  readonly recursive?: boolean;
  readonly kind?: string;
  readonly agent?: string;
  readonly identity?: string;
}

const KINDS = ['permission', 'input', 'sign_in', 'budget'];
/** Requests that one command shows at most. */
const SHOWN = 500;
const PROMPT_SHOWN = 60;
/** Before the id of a request in the names that commands print. */
export const REQUEST_PREFIX = 'request/';

/** Which open requests are listed. */
interface Wanted {
  /** `-` for every namespace. */
  readonly ns: string;
  readonly recursive: boolean;
  readonly kind?: string;
  readonly agent?: string;
  readonly identity?: string;
}

/** Open requests, oldest first, at most `limit`. */
export const openRequests = (
  { call }: Pick<PlainContext, 'call'>,
  { ns, recursive, kind = '', agent = '', identity = '' }: Wanted,
  limit: number,
): Promise<readonly JsonObject[]> =>
  listItems({ call, limit }, 'SessionControlService/ListPermissionRequests', {
    ns,
    recursive,
    kind,
    agent,
    identity,
    member: 'requests',
  });

/** `svc inbox`: what agents, and steps of workflows, wait for people to answer. */
export const listInbox = async (host: Host, options: InboxOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { allNamespaces = false, recursive = false, kind = '' } = options;
  if (kind !== '' && !KINDS.includes(kind))
    throw new CommandFailure(`${kind} is not a kind of request`, { hint: KINDS.join(', ') });
  const context = await openPlain(host, options);
  const { target, note } = context;
  const wanted = { ...options, ns: allNamespaces ? '-' : target.namespace, recursive };
  const requests = await listUpTo(context, context.limit ?? SHOWN, (limit) => openRequests(context, wanted, limit));
  if (form.form === 'name')
    return host.stdout.write(requests.map((request) => `${REQUEST_PREFIX}${textOf(request['id'])}\n`).join(''));
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: requests }, form);
  // The filters are of requests: steps have no kind, agent or identity.
  const isFiltered = [kind, options.agent, options.identity].some((filter) => (filter ?? '') !== '');
  const steps = isFiltered ? [] : await waitingSteps(context, wanted);
  if (steps.length > 0) {
    showSteps(host, context, { steps, isAcross: allNamespaces || recursive });
    if (requests.length === 0) return;
    host.stdout.write('\n');
  }
  if (requests.length === 0)
    return note(`no agent waits for an answer${allNamespaces ? '' : ` in namespace ${target.namespace}`}`);
  const isWide = form.form === 'wide';
  const headings = ['REQUEST', 'KIND', 'NAMESPACE', 'AGENT', 'AGE', 'LEFT', 'QUESTION', ...(isWide ? ['SESSION'] : [])];
  const columns = host.stdout.isTerminal ? host.stdout.columns : undefined;
  const now = host.nowMs();
  const rows = requests.map((request) => [
    textOf(request['id']),
    textOf(request['kind']),
    textOf(request['ns']),
    textOf(request['agent']),
    age(msOf(request['createdAt']), now),
    age(now, msOf(request['expiresAt'])),
    shortLine(textOf(request['prompt']), PROMPT_SHOWN),
    ...(isWide ? [textOf(request['sessionId'])] : []),
  ]);
  host.stdout.write(renderTable(headings, rows, columns));
  note('answer with: svc inbox answer REQUEST');
};

/** Steps of workflows as a table, and how to answer them. */
const showSteps = (
  host: Host,
  { note }: Pick<PlainContext, 'note'>,
  { steps, isAcross }: { readonly steps: readonly WaitingStep[]; readonly isAcross: boolean },
): void => {
  const headings = ['RUN', ...(isAcross ? ['NAMESPACE'] : []), 'WORKFLOW', 'STEP', 'QUESTION'];
  const rows = steps.map(({ namespace, runId, workflow, stepId, prompt }) => [
    runId,
    ...(isAcross ? [namespace] : []),
    workflow,
    stepId,
    shortLine(prompt, PROMPT_SHOWN),
  ]);
  host.stdout.write(renderTable(headings, rows, undefined));
  note(`answer with: svc workflow resume WORKFLOW RUN STEP VALUE${isAcross ? ' -n NAMESPACE' : ''}`);
};
