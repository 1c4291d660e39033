import { type ReactElement, type ReactNode, useEffect } from 'react';
import { pageFacts } from '../page-facts.ts';
import styles from './page.module.css';

interface PageProps {
  readonly title: string;
  /** What comes above the title, such as a link to the list. */
  readonly above?: ReactNode;
  /** State of the thing, next to its name. */
  readonly badge?: ReactNode;
  /** What can be done. */
  readonly actions?: ReactNode;
  /** Filters of a list, below the title. */
  readonly filters?: ReactNode;
  /** The content fills the height and scrolls inside, as a table does; else the page scrolls. */
  readonly isFilled?: boolean;
  readonly children: ReactNode;
}

/** The frame of every screen: what it is, what can be done, and the content. */
export const Page = (props: PageProps): ReactElement => {
  const { title, above, badge, actions, filters, isFilled, children } = props;
  useEffect(() => {
    document.title = `${title} · ${pageFacts.title}`;
  }, [title]);
  return (
    <div className={isFilled ? styles.filled : styles.page}>
      <header className={styles.header}>
        <div className={styles.names}>
          {above && <div className={styles.above}>{above}</div>}
          <div className={styles.title}>
            <h1>{title}</h1>
            {badge}
          </div>
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {filters && <div className={styles.filters}>{filters}</div>}
      {children}
    </div>
  );
};

/** A part of a page with a heading. */
export const Section = ({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactElement => (
  <section className={styles.section}>
    <div className={styles.sectionHead}>
      <h2>{title}</h2>
      {actions}
    </div>
    {children}
  </section>
);
