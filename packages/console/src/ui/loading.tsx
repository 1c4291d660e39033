import type { ReactElement } from 'react';
import styles from './states.module.css';

/** While the first answer of a view is on its way. */
export const Loading = ({ label = 'Loading' }: { readonly label?: string }): ReactElement => (
  <div className={styles.loading} role="status">
    <span className={styles.bar} />
    <span className="visually-hidden">{label}</span>
  </div>
);
