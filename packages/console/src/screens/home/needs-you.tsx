import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Section } from '../../ui/page.tsx';
import styles from './home.module.css';
import type { Need } from './needs.ts';
import { texts } from './texts.ts';

interface NeedsYouProps {
  readonly needs: readonly Need[];
  /** Everything is loaded: an empty list means that there is nothing. */
  readonly isSure: boolean;
}

/** What needs a person, each number a link to its list. */
export const NeedsYou = ({ needs, isSure }: NeedsYouProps): ReactElement => (
  <Section title={texts.needsYou}>
    {needs.length === 0 && isSure && <p className={styles.calm}>{texts.nothing}</p>}
    <ul className={styles.needs}>
      {needs.map(({ label, count, to, search = {}, tone, example }) => (
        <li key={label}>
          <Link to={to} search={search} className={styles.need}>
            <span className={styles.needHead}>
              <Badge tone={tone}>{String(count)}</Badge>
              {label}
            </span>
            <span className={styles.example}>{example}</span>
          </Link>
        </li>
      ))}
    </ul>
  </Section>
);
