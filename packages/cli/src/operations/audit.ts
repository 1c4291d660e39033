import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type PlainContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { msOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';
import { outputForm, printList } from '../output.ts';
import { localTime, renderTable } from '../terminal/index.ts';
import { sinceMicros } from './since.ts';

interface AuditOptions extends GlobalOptions {
  readonly allNamespaces?: boolean;
  readonly follow?: boolean;
  readonly kind?: readonly string[];
  readonly since?: string;
  readonly identity?: string;
  readonly operation?: string;
  readonly limit?: string;
}

/** Default of --limit. */
const SHOWN = 50;

/** `svc events --audit`: the newest writes, secret reads and failed sign-ins, in order of time. Never contents. */
export const showAudit = async (host: Host, options: AuditOptions): Promise<void> => {
  if (options.follow === true) throw new CommandFailure('the audit log is not followed', { hint: 'leave out -f' });
  if (options.kind !== undefined)
    throw new CommandFailure('the audit log knows operations, not kinds', { hint: '--operation or --identity' });
  const form = outputForm(options.output);
  const since = sinceMicros(host, options.since);
  const context = await openPlain(host, options);
  const wanted = { ...options, since };
  const found = await listUpTo(context, context.limit ?? SHOWN, (limit) => newest(context, { ...wanted, limit }));
  const records = found.toReversed();
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: records }, form);
  if (records.length === 0) return context.note('nothing is recorded');
  const isWide = form.form === 'wide';
  const headings = ['TIME', 'WHO', 'OPERATION', 'TARGET', 'OUTCOME', ...(isWide ? ['REQUEST', 'HASH'] : [])];
  const columns = host.stdout.isTerminal ? host.stdout.columns : undefined;
  const rows = records.map((record) => [
    localTime(msOf(record['time'])),
    textOf(record['identity']),
    textOf(record['operation']).replace(/^svc\.gateway\./, ''),
    textOf(record['target']),
    textOf(record['outcome']),
    ...(isWide ? [textOf(record['requestId']), textOf(record['hash']).slice(0, 12)] : []),
  ]);
  host.stdout.write(renderTable(headings, rows, columns));
};

const newest = (
  { call, options: given }: PlainContext,
  wanted: Omit<AuditOptions, 'since' | 'limit'> & { readonly since: bigint; readonly limit: number },
): Promise<readonly JsonObject[]> => {
  // Only an explicit namespace narrows the log: much of it belongs to none.
  const ns = wanted.allNamespaces === true ? '' : (given.namespace ?? '');
  const { identity = '', operation = '', since } = wanted;
  const filters = { ns, identity, operation, ...(since === 0n ? {} : { since: String(since) }) };
  return listItems({ call, limit: wanted.limit }, 'AuthService/ListAuditRecords', { ...filters, member: 'records' });
};
