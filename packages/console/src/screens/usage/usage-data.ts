import type { ReportUsageResponse } from '@svc/api/gateway';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRead } from '../../api/use-call.ts';

const DAY_MICROS = 86_400_000_000n;

interface Report {
  readonly ns: string;
  readonly by: string;
  readonly days: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

/** What the model calls of a namespace and those below it used; loaded again when a turn ended. */
export const useUsage = ({ ns, by, days, nowMs }: Report): UseQueryResult<ReportUsageResponse> =>
  useRead({
    key: ['ReportUsage', ns, by, days],
    call: (client, signal) =>
      client.usage.reportUsage(
        { ns, by, recursive: true, since: BigInt(nowMs) * 1_000n - BigInt(days - 1) * DAY_MICROS },
        { signal },
      ),
    shows: { topics: ['turn'] },
    enabled: ns !== '-',
  });
