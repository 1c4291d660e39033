import { Fragment, type ReactElement, type ReactNode } from 'react';
import styles from './facts.module.css';

/** Names and values of one thing; values that show nothing (undefined, null, false and '') are left out. */
export const Facts = ({
  rows,
}: {
  readonly rows: readonly (readonly [name: string, value: ReactNode])[];
}): ReactElement => (
  <dl className={styles.facts}>
    {rows
      .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
      .map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
  </dl>
);
