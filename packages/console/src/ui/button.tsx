import type { ReactElement, ReactNode } from 'react';
import styles from './button.module.css';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps {
  readonly children: ReactNode;
  readonly kind?: 'primary' | 'normal' | 'quiet' | 'danger';
  readonly type?: 'button' | 'submit';
  readonly icon?: IconName;
  readonly onClick?: () => void;
  readonly disabled?: boolean;
  /** Why it is disabled, in words: a button that does nothing says so. */
  readonly disabledReason?: string;
  /** Something that it began is not done yet. */
  readonly isBusy?: boolean;
  /** The key that does the same, e.g. `c`. */
  readonly shortcut?: string;
}

/** A button with a text. While it is disabled it can be focused, so that its reason can be read. */
export const Button = (props: ButtonProps): ReactElement => {
  const { children, kind = 'normal', type = 'button', icon, disabled, disabledReason, isBusy, shortcut } = props;
  const isOff = disabled === true || isBusy === true;
  return (
    <button
      type={type}
      className={classNames(styles.button, styles[kind])}
      aria-disabled={isOff}
      aria-busy={isBusy}
      aria-keyshortcuts={shortcut}
      title={disabled ? disabledReason : shortcut && `Key: ${shortcut}`}
      onClick={(event) => {
        if (isOff) return event.preventDefault();
        props.onClick?.();
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
};

interface IconButtonProps {
  /** What it does, for the tooltip and for screen readers. */
  readonly label: string;
  readonly icon: IconName;
  readonly onClick: () => void;
  /** For buttons that switch something on and off. */
  readonly isPressed?: boolean;
}

/** A button that is only a drawing. */
export const IconButton = ({ label, icon, onClick, isPressed }: IconButtonProps): ReactElement => (
  <button
    type="button"
    className={classNames(styles.button, styles.quiet, styles.square)}
    aria-label={label}
    aria-pressed={isPressed}
    title={label}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
);
