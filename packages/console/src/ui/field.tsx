import { type ReactElement, type ReactNode, useId } from 'react';
import styles from './field.module.css';

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  readonly isLabelHidden?: boolean;
}

interface ValueProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
  readonly isRequired?: boolean;
}

/** A line of text. */
export const TextField = (
  props: ValueProps & {
    readonly type?: 'text' | 'password' | 'search' | 'number' | 'date' | 'datetime-local' | 'url' | 'email';
    readonly autoComplete?: string;
  },
): ReactElement => (
  <Labelled {...props}>
    {(ids) => (
      <input
        {...ids}
        className={styles.input}
        type={props.type ?? 'text'}
        value={props.value}
        placeholder={props.placeholder}
        autoComplete={props.autoComplete ?? 'off'}
        spellCheck={false}
        required={props.isRequired}
        // biome-ignore lint/a11y/noAutofocus: only where a form is what the person just asked for
        autoFocus={props.autoFocus}
        onChange={(event) => props.onChange(event.target.value)}
      />
    )}
  </Labelled>
);

/** Several lines of text. */
export const TextArea = (
  props: ValueProps & {
    readonly rows?: number;
    /** Enter without Shift, for fields in which it sends; else it begins a line. */
    readonly onEnter?: () => void;
  },
): ReactElement => (
  <Labelled {...props}>
    {(ids) => (
      <textarea
        {...ids}
        className={styles.input}
        rows={props.rows ?? 4}
        value={props.value}
        placeholder={props.placeholder}
        required={props.isRequired}
        // biome-ignore lint/a11y/noAutofocus: only where a form is what the person just asked for
        autoFocus={props.autoFocus}
        onChange={(event) => props.onChange(event.target.value)}
        onKeyDown={(event) => {
          if (props.onEnter === undefined || event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing)
            return;
          event.preventDefault();
          props.onEnter();
        }}
      />
    )}
  </Labelled>
);

/** One of a few values. */
export const SelectField = <V extends string>(
  props: FieldProps & {
    readonly value: V;
    readonly options: readonly { readonly value: V; readonly label: string }[];
    readonly onChange: (value: V) => void;
  },
): ReactElement => (
  <Labelled {...props}>
    {(ids) => (
      <select
        {...ids}
        className={styles.input}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value as V)}
      >
        {props.options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);

interface CheckboxProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export const Checkbox = ({ label, checked, onChange }: CheckboxProps): ReactElement => (
  <label className={styles.check}>
    <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
    {label}
  </label>
);

interface ControlIds {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

/** Label, control, note and problem, tied together for screen readers. */
const Labelled = ({
  label,
  hint,
  problem,
  isLabelHidden,
  children,
}: FieldProps & { readonly children: (ids: ControlIds) => ReactNode }): ReactElement => {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': problem === undefined ? undefined : true,
      })}
      {note !== undefined && (
        <p id={`${id}-note`} className={problem === undefined ? styles.hint : styles.problem}>
          {note}
        </p>
      )}
    </div>
  );
};
