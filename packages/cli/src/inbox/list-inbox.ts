import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { msOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';
import { outputForm, printList } from '../output.ts';
import { age, harmless, renderTable } from '../terminal/index.ts';

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

/** Open requests of the namespace, and with `recursive` of those below, oldest first. */
export const openRequests = async (
  host: Host,
  options: InboxOptions & { readonly limit?: string },
): Promise<readonly JsonObject[]> => {
  const { kind = '', agent = '', identity = '' } = options;
  if (kind !== '' && !KINDS.includes(kind))
    throw new CommandFailure(`${kind} is not a kind of request`, { hint: KINDS.join(', ') });
  const context = await openPlain(host, options);
  const { call, target } = context;
  const ns = options.allNamespaces === true ? '-' : target.namespace;
  const request = { ns, recursive: options.recursive === true, kind, agent, identity, member: 'requests' };
  return listUpTo(context, context.limit ?? SHOWN, (limit) =>
    listItems({ call, limit }, 'SessionControlService/ListPermissionRequests', request),
  );
};

/** `svc inbox`: what agents wait for people to answer. */
export const listInbox = async (host: Host, options: InboxOptions): Promise<void> => {
  const form = outputForm(options.output);
  const requests = await openRequests(host, options);
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: requests }, form);
  if (requests.length === 0) {
    host.stderr.write('no agent waits for an answer\n');
    return;
  }
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
    shortened(harmless(textOf(request['prompt']))),
    ...(isWide ? [textOf(request['sessionId'])] : []),
  ]);
  host.stdout.write(renderTable(headings, rows, columns));
  host.stderr.write('answer with: svc inbox answer REQUEST\n');
};

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > PROMPT_SHOWN ? `${line.slice(0, PROMPT_SHOWN - 1)}…` : line;
};
