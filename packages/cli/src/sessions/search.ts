import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain, type PlainContext } from '../context.ts';
import type { Host } from '../host.ts';
import { mapsOf, msOf, textOf } from '../json-value.ts';
import { outputForm, printList } from '../output.ts';
import { age, renderTable, shortLine } from '../terminal/index.ts';

export interface SearchOptions extends GlobalOptions {
  readonly allNamespaces?: boolean;
  readonly agent?: string;
}

/** Hits that one command shows when not told how many. */
const SHOWN = 20;
/** Calls of one command: each reads a bounded number of messages, and finds none where the word is rare. */
const CALLS_MAX = 20;
const SNIPPET_SHOWN = 100;
const ROLES: Readonly<Record<string, string>> = { ROLE_USER: 'user', ROLE_ASSISTANT: 'assistant' };

/** `svc search TEXT`: messages with these words, in the sessions used last first. */
export const searchSessions = async (host: Host, query: string, options: SearchOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openPlain(host, options);
  const ns = options.allNamespaces === true ? '-' : context.target.namespace;
  const { hits, isWhole } = await find(context, { ns, query, agent: options.agent ?? '' }, context.limit ?? SHOWN);
  if (form.form === 'name') return host.stdout.write(hits.map((hit) => `${textOf(hit['sessionId'])}\n`).join(''));
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: hits }, form);
  if (hits.length > 0) host.stdout.write(table(host, hits, form.form === 'wide'));
  if (!isWhole) context.note('older sessions were not read; --limit finds more');
  else if (hits.length === 0) context.note('no message has these words');
};

/** Hits in the order of the server until there are as many as wanted; `isWhole` when everything was read. */
const find = async (
  { call }: Pick<PlainContext, 'call'>,
  wanted: { readonly ns: string; readonly query: string; readonly agent: string },
  limit: number,
): Promise<{ readonly hits: readonly JsonObject[]; readonly isWhole: boolean }> => {
  const hits: JsonObject[] = [];
  let pageToken = '';
  for (let calls = 0; calls < CALLS_MAX; calls++) {
    const pageSize = Math.min(limit - hits.length, 200);
    const page = await call('SessionControlService/SearchSessions', { ...wanted, pageSize, pageToken });
    hits.push(...mapsOf(page['hits']));
    pageToken = textOf(page['nextPageToken']);
    if (pageToken === '' || hits.length >= limit) break;
  }
  return { hits, isWhole: pageToken === '' };
};

const table = (host: Host, hits: readonly JsonObject[], isWide: boolean): string => {
  const headings = ['SESSION', 'NAMESPACE', 'AGENT', 'FROM', 'AGE', ...(isWide ? ['MESSAGE'] : []), 'TEXT'];
  const columns = host.stdout.isTerminal && !isWide ? host.stdout.columns : undefined;
  const rows = hits.map((hit) => [
    textOf(hit['sessionId']),
    textOf(hit['ns']),
    textOf(hit['agent']),
    ROLES[textOf(hit['role'])] ?? '-',
    age(msOf(hit['createdAt']), host.nowMs()),
    ...(isWide ? [textOf(hit['messageId'])] : []),
    shortLine(
      mapsOf(hit['snippet'])
        .map(({ text }) => textOf(text))
        .join(''),
      SNIPPET_SHOWN,
    ),
  ]);
  return renderTable(headings, rows, columns);
};
