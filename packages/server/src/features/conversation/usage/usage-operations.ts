import { create } from '@bufbuild/protobuf';
import {
  type ReportUsageRequest,
  type ReportUsageResponse,
  ReportUsageResponseSchema,
  UsageRowSchema,
  UsageService,
} from '@svc/api/gateway';
import type { Authorizer, Caller } from '../../../auth/contract.ts';
import { Fault, invalidField } from '../../../base/index.ts';
import { requireNamespace } from '../../../controllers/facade-contract.ts';
import { type Operation, operation, viewer } from '../../../operations/index.ts';
import type { ReadTx, Store, UsageDayRow } from '../../../store/contracts/index.ts';
import { GROUPS, type Group, type ReportRow, UsageReport } from './report-rules.ts';
import { dayOf } from './usage-records.ts';

export interface UsageOperationsDeps {
  readonly store: Pick<Store, 'read' | 'now'>;
  /** Names of all namespaces below one. */
  readonly descendants: (resources: ReadTx['resources'], namespace: string) => Promise<readonly string[]>;
  readonly authorizer: Pick<Authorizer, 'allows'>;
}

const DEFAULT_DAYS = 30;
const DEFAULT_ROWS = 100;
const ROWS_MAX = 1_000;
const PAGE = 1_000;
/** Stored rows that one report reads at most. */
const READ_MAX = 200_000;

/** ReportUsage. */
export const usageOperations = (deps: UsageOperationsDeps): readonly Operation[] => [
  operation(UsageService.method.reportUsage, {
    access: viewer('fields'),
    handle: (request, { caller }) => reportUsage(deps, request, caller),
  }),
];

/** Which stored rows a report is made of. */
interface Wanted {
  readonly group: Group;
  readonly firstDay: number;
  readonly lastDay: number;
  readonly limit: number;
}

const wantedOf = ({ by, since, until, limit }: ReportUsageRequest, now: number): Wanted => {
  const group = by === '' ? 'agent' : by;
  if (!Object.hasOwn(GROUPS, group)) throw invalidField('by', `must be one of ${Object.keys(GROUPS).join(', ')}`);
  if (limit < 0 || limit > ROWS_MAX) throw invalidField('limit', `must be from 1 to ${ROWS_MAX}`);
  const lastDay = dayOf(until === undefined ? now : Number(until));
  const firstDay = since === undefined ? lastDay - DEFAULT_DAYS : dayOf(Number(since));
  if (firstDay > lastDay) throw invalidField('since', 'must not be after until');
  return { group: group as Group, firstDay, lastDay, limit: limit === 0 ? DEFAULT_ROWS : limit };
};

/** The namespaces below that the caller may read: a grant on an agent covers that agent in one namespace. */
const namespacesBelow = async (
  { descendants, authorizer }: UsageOperationsDeps,
  tx: Pick<ReadTx, 'resources'>,
  { request, caller }: { readonly request: ReportUsageRequest; readonly caller: Caller },
): Promise<readonly string[]> => {
  const below = request.recursive ? await descendants(tx.resources, request.ns) : [];
  const target = request.agent === '' ? {} : { agent: request.agent };
  return below.filter((namespace) => authorizer.allows(caller, 'viewer', { namespace, ...target }));
};

const reportUsage = async (
  deps: UsageOperationsDeps,
  request: ReportUsageRequest,
  caller: Caller,
): Promise<ReportUsageResponse> => {
  const wanted = wantedOf(request, deps.store.now());
  const report = new UsageReport(wanted.group);
  const { agent, model, identity } = request;
  const counts = (row: UsageDayRow): boolean =>
    (agent === '' || row.agent === agent) &&
    (identity === '' || row.identity === identity) &&
    (model === '' || GROUPS.model(row) === model);
  await deps.store.read(async (tx) => {
    let read = 0;
    for (const namespace of [request.ns, ...(await namespacesBelow(deps, tx, { request, caller }))])
      for await (const row of storedRows(tx, namespace, wanted)) {
        read += 1;
        if (read > READ_MAX) throw tooMuch();
        if (counts(row)) report.add(row);
      }
    // What a namespace used can still be read after it is gone.
    if (read === 0) await requireNamespace(tx, request.ns);
  });
  const rows = report.rows(wanted.limit).map(rowMessage);
  return create(ReportUsageResponseSchema, { rows, total: rowMessage(report.total()) });
};

const tooMuch = (): Fault =>
  new Fault('RESOURCE_EXHAUSTED', 'REPORT_TOO_LARGE', `more than ${READ_MAX} records: ask for a shorter time`);

/** Days of a namespace, and the calls that are not added to their day yet. */
async function* storedRows(
  tx: Pick<ReadTx, 'usageDays' | 'usageRecords'>,
  namespace: string,
  { firstDay, lastDay }: Wanted,
): AsyncGenerator<UsageDayRow, void, undefined> {
  let day: Pick<UsageDayRow, 'day' | 'agent' | 'provider' | 'model' | 'identity'> = {
    day: firstDay,
    agent: '',
    provider: '',
    model: '',
    identity: '',
  };
  for (;;) {
    const page: readonly UsageDayRow[] = await tx.usageDays.page(
      'ofNamespace',
      { namespace },
      { after: day, limit: PAGE },
    );
    for (const row of page) if (row.day <= lastDay) yield row;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE || last.day > lastDay) break;
    day = last;
  }
  let after: { readonly id: string } | undefined;
  for (;;) {
    const page = await tx.usageRecords.page('ofNamespace', { namespace }, { after, limit: PAGE });
    for (const row of page) if (row.day >= firstDay && row.day <= lastDay) yield row;
    after = page.at(-1);
    if (page.length < PAGE) return;
  }
}

const rowMessage = (row: ReportRow) =>
  create(UsageRowSchema, {
    name: row.name,
    requests: BigInt(row.requests),
    inputTokens: BigInt(row.inputTokens),
    cachedInputTokens: BigInt(row.cachedInputTokens),
    cacheWriteTokens: BigInt(row.cacheWriteTokens),
    outputTokens: BigInt(row.outputTokens),
    reasoningTokens: BigInt(row.reasoningTokens),
    totalTokens: BigInt(row.totalTokens),
    costMicros: BigInt(row.costMicros),
    unpricedRequests: BigInt(row.unpriced),
  });
