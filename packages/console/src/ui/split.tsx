import type { ReactElement, ReactNode } from 'react';
import styles from './split.module.css';

/** A narrow list next to what is chosen in it; below each other on a phone. */
export const Split = ({ list, children }: { readonly list: ReactNode; readonly children: ReactNode }): ReactElement => (
  <div className={styles.split}>
    <div className={styles.list}>{list}</div>
    <div className={styles.content}>{children}</div>
  </div>
);
