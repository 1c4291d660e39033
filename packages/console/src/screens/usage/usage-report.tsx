import type { UsageRow } from '@svc/api/gateway';
import { type ReactElement, useMemo, useState } from 'react';
import { Chart } from '../../ui/chart.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { texts } from './texts.ts';
import styles from './usage.module.css';
import { useUsage } from './usage-data.ts';
import { costText, countText, dayText, everyDay } from './usage-texts.ts';

interface UsageReportProps {
  readonly ns: string;
  readonly by: string;
  readonly days: number;
  /** The chart shows money instead of tokens. */
  readonly isCost: boolean;
}

/** Use per day as a chart, and by one aspect as a table. */
export const UsageReport = ({ ns, by, days, isCost }: UsageReportProps): ReactElement => {
  const [nowMs] = useState(() => Date.now());
  const perDay = useUsage({ ns, by: 'day', days, nowMs });
  const found = useUsage({ ns, by, days, nowMs });
  const error = found.error ?? perDay.error;
  const { rows = [], total } = found.data ?? {};
  return (
    <Section title={texts.used}>
      {error && <Problem error={error} onRetry={() => void Promise.all([found.refetch(), perDay.refetch()])} />}
      {found.isPending && <Loading />}
      {perDay.data && total?.requests !== 0n && (
        <DayChart rows={perDay.data.rows} days={days} nowMs={nowMs} isCost={isCost} />
      )}
      {total?.requests === 0n && (
        <Empty icon="chart" title={texts.nothing}>
          <p>{texts.nothingHint}</p>
        </Empty>
      )}
      {total !== undefined && total.requests > 0n && <UsageTable rows={rows} total={total} />}
      {total !== undefined && total.unpricedRequests > 0n && (
        <p>{`${texts.unpriced} ${countText(total.unpricedRequests)}`}</p>
      )}
    </Section>
  );
};

interface DayChartProps {
  readonly rows: readonly UsageRow[];
  readonly days: number;
  readonly nowMs: number;
  readonly isCost: boolean;
}

const DayChart = ({ rows, days, nowMs, isCost }: DayChartProps): ReactElement => {
  const { at, series } = useMemo(() => {
    const of = (value: (row: UsageRow) => number) =>
      everyDay(
        rows.map((row) => ({ name: row.name, value: value(row) })),
        { days, today: nowMs / 1_000, none: 0 },
      );
    const line = (name: string, value: (row: UsageRow) => number) => ({ name, values: of(value).values });
    return {
      at: of(() => 0).at,
      series: isCost
        ? [line(texts.cost, ({ costMicros }) => Number(costMicros) / 1e6)]
        : [
            // Drawn on top of each other: the output in front of the whole.
            line(texts.total, ({ totalTokens }) => Number(totalTokens)),
            line(texts.output, ({ outputTokens }) => Number(outputTokens)),
          ],
    };
  }, [rows, days, nowMs, isCost]);
  return (
    <Chart
      label={`${isCost ? texts.cost : texts.tokens}, ${texts.perDay}`}
      at={at}
      series={series}
      shape="bars"
      text={(value) => (isCost ? costText(Math.round(value * 1e6)) : countText(value))}
      atText={dayText}
    />
  );
};

const COLUMNS: readonly { readonly title: string; readonly text: (row: UsageRow) => string }[] = [
  { title: texts.requests, text: ({ requests }) => countText(requests) },
  { title: texts.input, text: ({ inputTokens }) => countText(inputTokens) },
  { title: texts.cached, text: ({ cachedInputTokens }) => countText(cachedInputTokens) },
  { title: texts.output, text: ({ outputTokens }) => countText(outputTokens) },
  { title: texts.reasoning, text: ({ reasoningTokens }) => countText(reasoningTokens) },
  { title: texts.tokens, text: ({ totalTokens }) => countText(totalTokens) },
  { title: texts.cost, text: ({ costMicros }) => costText(costMicros) },
];

const UsageTable = ({
  rows,
  total,
}: {
  readonly rows: readonly UsageRow[];
  readonly total: UsageRow;
}): ReactElement => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <div className={styles.scroll} tabIndex={0}>
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{texts.name}</th>
          {COLUMNS.map(({ title }) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <UsageLine key={row.name} row={row} name={row.name || texts.rest} />
        ))}
      </tbody>
      <tfoot>
        <UsageLine row={total} name={texts.total} />
      </tfoot>
    </table>
  </div>
);

const UsageLine = ({ row, name }: { readonly row: UsageRow; readonly name: string }): ReactElement => (
  <tr>
    <th scope="row">{name}</th>
    {COLUMNS.map(({ title, text }) => (
      <td key={title}>{text(row)}</td>
    ))}
  </tr>
);
