import type { ReactElement } from 'react';
import styles from './segments.module.css';

interface SegmentsProps<V extends string> {
  readonly label: string;
  readonly value: V;
  readonly options: readonly { readonly value: V; readonly label: string }[];
  readonly onChange: (value: V) => void;
}

/** A choice between a few views or filters, all of them visible. */
export const Segments = <V extends string>({ label, value, options, onChange }: SegmentsProps<V>): ReactElement => (
  <fieldset className={styles.segments}>
    <legend className="visually-hidden">{label}</legend>
    {options.map((option) => (
      <button
        key={option.value}
        type="button"
        aria-pressed={option.value === value}
        onClick={() => onChange(option.value)}
      >
        {option.label}
      </button>
    ))}
  </fieldset>
);
