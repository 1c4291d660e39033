import type { AuditRecord, ListAuditRecordsResponse } from '@svc/api/gateway';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { usePages } from '../../api/use-call.ts';

/** What the records are narrowed to; '' leaves a filter out. */
export interface AuditFilter {
  /** `-` is everywhere. */
  readonly ns: string;
  readonly identity: string;
  readonly operation: string;
  /** Local times such as `2030-01-31T09:30`. */
  readonly since: string;
  readonly until: string;
}

/** A local time as Unix microseconds; undefined where it is none. */
const microsOf = (local: string): bigint | undefined => {
  const ms = new Date(local).getTime();
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000n;
};

/** Outcome of a change that was checked and not made. */
export const DRY_RUN = 'dry-run';

/** The records of all pages, with or without those of changes that were only tried. */
export const shownRecords = (
  pages: readonly Pick<ListAuditRecordsResponse, 'records'>[],
  hidesDryRuns: boolean,
): readonly AuditRecord[] =>
  pages.flatMap(({ records }) => (hidesDryRuns ? records.filter(({ outcome }) => outcome !== DRY_RUN) : records));

/** Records of the audit log, newest first. */
export const useAuditRecords = (
  filter: AuditFilter,
): UseInfiniteQueryResult<{ readonly pages: readonly ListAuditRecordsResponse[] }> =>
  usePages({
    key: ['ListAuditRecords', filter],
    call: (client, pageToken, signal) => {
      const since = microsOf(filter.since);
      const until = microsOf(filter.until);
      return client.auth.listAuditRecords(
        {
          ns: filter.ns === '-' ? '' : filter.ns,
          identity: filter.identity,
          operation: filter.operation,
          pageToken,
          ...(since !== undefined && { since }),
          ...(until !== undefined && { until }),
        },
        { signal },
      );
    },
    nextToken: (page) => page.nextPageToken,
  });
