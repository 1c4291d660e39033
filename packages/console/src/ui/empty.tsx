import type { ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import styles from './states.module.css';

interface EmptyProps {
  readonly icon?: IconName;
  /** What is not there, as a sentence. */
  readonly title: string;
  /** What it is for, or how to get one. */
  readonly children?: ReactNode;
}

/** A view with nothing in it. */
export const Empty = ({ icon = 'box', title, children }: EmptyProps): ReactElement => (
  <div className={styles.empty}>
    <Icon name={icon} size={28} />
    <h2>{title}</h2>
    {children}
  </div>
);
