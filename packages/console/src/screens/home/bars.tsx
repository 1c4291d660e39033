import type { ReactElement } from 'react';
import styles from './home.module.css';

interface BarsProps {
  /** What the bars are, for screen readers. */
  readonly label: string;
  /** Oldest first. */
  readonly values: readonly number[];
}

const WIDTH = 8;
const GAP = 2;
const HEIGHT = 36;

/** Small bars without axes, as high as their share of the highest. */
export const Bars = ({ label, values }: BarsProps): ReactElement => {
  const highest = Math.max(1, ...values);
  return (
    <svg
      className={styles.bars}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length * (WIDTH + GAP) - GAP} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max(3, (value / highest) * HEIGHT);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
            key={index}
            className={value === 0 ? styles.noBar : styles.oneBar}
            x={index * (WIDTH + GAP)}
            y={HEIGHT - height}
            width={WIDTH}
            height={height}
          />
        );
      })}
    </svg>
  );
};
