import { type ReactElement, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartProps } from '../chart.tsx';
import styles from './chart.module.css';
import { shortNumber } from './chart-data.ts';
import { useThemeCount } from './use-theme-count.ts';

/** The canvas behind `Chart`, in a file of its own that is loaded when the first one is shown. */
export const ChartDrawing = (props: ChartProps): ReactElement => {
  const { at, series, text, atText } = props;
  const host = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<number>();
  const theme = useThemeCount();
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read from the page, which the theme changes
  useEffect(() => {
    const place = host.current;
    if (place === null) return undefined;
    const plot = new uPlot(optionsOf(props, place, setShown), [[...at], ...series.map(({ values }) => [...values])]);
    place.append(plot.root);
    const watch = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: plot.height }));
    watch.observe(place);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [at, series, theme]);
  const index = shown ?? at.length - 1;
  return (
    <div aria-hidden="true">
      <div ref={host} className={styles.drawing}>
        <i className={styles.axis} />
        <i className={styles.grid} />
        {series.map(({ name }, place) => (
          <i key={name} className={styles[`series${place}`]} />
        ))}
      </div>
      <div className={styles.legend}>
        <b>{at[index] === undefined ? '' : atText(at[index])}</b>
        {series.map(({ name, values }, place) => (
          <span key={name} className={styles[`series${place}`]}>
            <b>
              {name} {typeof values[index] === 'number' ? text(values[index]) : ''}
            </b>
          </span>
        ))}
      </div>
    </div>
  );
};

/** A canvas does not know custom properties: elements in the page tell their colours. */
const colourOf = (place: HTMLElement, name: string | undefined): string => {
  const found = place.getElementsByClassName(name ?? '').item(0);
  return found === null ? 'currentColor' : getComputedStyle(found).color;
};

const BAR_SHARE = 0.7;
const BAR_PX_MAX = 36;

const optionsOf = (
  { at, series, atText, shape, height = 160 }: ChartProps,
  place: HTMLElement,
  show: (index: number | undefined) => void,
): uPlot.Options => {
  const ink = colourOf(place, styles['axis']);
  const line = colourOf(place, styles['grid']);
  const axis = { stroke: ink, font: '11px system-ui', ticks: { show: false }, grid: { stroke: line, width: 1 } };
  const bars = shape === 'bars' ? uPlot.paths.bars?.({ size: [BAR_SHARE, BAR_PX_MAX] }) : undefined;
  const margin = bars === undefined || at.length < 2 ? 0 : ((at[1] ?? 0) - (at[0] ?? 0)) / 2;
  return {
    width: place.clientWidth,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: {
      // Half a bar more on both sides, so that the first and the last one are whole.
      x: { range: (_plot, first, last) => [first - margin, last + margin] },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    axes: [
      { ...axis, grid: { show: false }, values: (_plot, moments) => moments.map(atText), space: 70, size: 28 },
      { ...axis, size: 48, values: (_plot, values) => values.map(shortNumber) },
    ],
    series: [
      {},
      ...series.map(({ name }, index): uPlot.Series => {
        const colour = colourOf(place, styles[`series${index}`]);
        return bars === undefined
          ? { label: name, stroke: colour, width: 2 }
          : { label: name, stroke: colour, fill: colour, width: 0, paths: bars, points: { show: false } };
      }),
    ],
    hooks: { setCursor: [({ cursor }) => show(cursor.idx ?? undefined)] },
  };
};
