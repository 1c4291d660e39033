import { lazy, type ReactElement, Suspense } from 'react';
import styles from './chart/chart.module.css';
import type { ChartSeries } from './chart/chart-data.ts';

export interface ChartProps {
  /** What is shown, as a title and for screen readers. */
  readonly label: string;
  /** Moments in Unix seconds, rising. */
  readonly at: readonly number[];
  /** At most four; each with one value per moment. */
  readonly series: readonly ChartSeries[];
  /** A value in words, such as `1,200 tokens`. */
  readonly text: (value: number) => string;
  /** A moment in words, such as `31 Jan`. */
  readonly atText: (seconds: number) => string;
  readonly shape?: 'bars' | 'line';
  /** Height of the drawing in pixels; default 160. */
  readonly height?: number;
}

const Drawing = lazy(async () => ({ default: (await import('./chart/chart-drawing.tsx')).ChartDrawing }));

/** Values over time. Colours follow the theme; the same values are in a table for screen readers. */
export const Chart = (props: ChartProps): ReactElement => {
  const { label, at, series, text, atText, height = 160 } = props;
  return (
    <figure className={styles.figure}>
      <figcaption className={styles.caption}>{label}</figcaption>
      <Suspense fallback={<div aria-busy="true" style={{ height }} />}>
        <Drawing {...props} />
      </Suspense>
      <table className="visually-hidden">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th>Time</th>
            {series.map(({ name }) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {at.map((moment, index) => (
            <tr key={moment}>
              <th>{atText(moment)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{valueText(values[index], text)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
};

const valueText = (value: number | null | undefined, text: (value: number) => string): string =>
  value === null || value === undefined ? 'none' : text(value);
