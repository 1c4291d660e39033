import type { ReactElement } from 'react';
import styles from './meter.module.css';

interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** The text next to the bar, e.g. `80 of 100`. */
  readonly text: string;
}

/** How much of a limit is used; from four fifths on it warns. */
export const Meter = ({ label, value, max, text }: MeterProps): ReactElement => {
  const share = max <= 0 ? 1 : Math.min(1, value / max);
  const tone = share >= 1 ? styles.full : share >= 0.8 ? styles.near : styles.far;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the look of a meter element cannot be changed everywhere
    <div
      className={styles.meter}
      role="meter"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={max}
    >
      <div className={styles.track}>
        <div className={tone} style={{ width: `${share * 100}%` }} />
      </div>
      <span>{text}</span>
    </div>
  );
};
