import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf, mapsOf, textOf } from '../json-value.ts';
import { outputForm, printValue } from '../output.ts';
import { renderTable } from '../terminal/index.ts';
import { sinceMicros } from './since.ts';

export interface ReportOptions extends GlobalOptions {
  readonly by?: string;
  readonly since?: string;
  readonly recursive?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly identity?: string;
  readonly limit?: string;
}

const MICROS = 1_000_000;

/** `svc usage --by GROUP`: tokens and cost of the model calls of a namespace. */
export const reportUsage = async (host: Host, options: ReportOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target, note } = await openPlain(host, options);
  const { by = '', agent = '', model = '', identity = '', recursive = false } = options;
  const since = sinceMicros(host, options.since);
  const answer = await call('UsageService/ReportUsage', {
    ns: target.namespace,
    by,
    recursive,
    agent,
    model,
    identity,
    limit: Number(options.limit ?? 0),
    ...(since === 0n ? {} : { since: String(since) }),
  });
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, answer, form);
  const rows = mapsOf(answer['rows']);
  if (rows.length === 0) return note(`no model was called in namespace ${target.namespace}`);
  const total = { ...mapOf(answer['total']), name: 'total' };
  const headings = [by.toUpperCase(), 'CALLS', 'INPUT', 'CACHED', 'OUTPUT', 'REASONING', 'TOKENS', 'COST'];
  const columns = host.stdout.isTerminal ? host.stdout.columns : undefined;
  host.stdout.write(renderTable(headings, [...rows, total].map(rowOf), columns));
  if (count(total, 'unpricedRequests') > 0)
    note(`${count(total, 'unpricedRequests')} calls of models without a price are counted as free`);
};

const count = (row: JsonObject, field: string): number => Number(textOf(row[field]) || 0);

const rowOf = (row: JsonObject): readonly string[] => [
  textOf(row['name']) || '(others)',
  ...['requests', 'inputTokens', 'cachedInputTokens', 'outputTokens', 'reasoningTokens', 'totalTokens'].map((field) =>
    String(count(row, field)),
  ),
  (count(row, 'costMicros') / MICROS).toFixed(4),
];
