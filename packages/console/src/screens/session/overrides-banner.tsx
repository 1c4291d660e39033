import type { ReactElement, ReactNode } from 'react';
import type { Difference } from './actions/index.ts';
import styles from './session-page.module.css';
import { texts } from './texts.ts';

const NAMES: Readonly<Record<Difference['what'], string>> = {
  model: texts.tryModel,
  temperature: texts.temperature,
  systemPrompt: texts.systemPrompt,
};

interface OverridesBannerProps {
  readonly differences: readonly Difference[];
  /** Link to the session that this one was forked from, where that is known. */
  readonly source?: ReactNode;
}

/** In what a session differs from its agent. */
export const OverridesBanner = ({ differences, source }: OverridesBannerProps): ReactElement => (
  <aside className={styles.banner} aria-label={texts.differs}>
    <strong>{texts.differs}</strong>
    {differences.map(({ what, is, was }) =>
      what === 'systemPrompt' ? (
        <details key={what}>
          <summary>{NAMES[what]}</summary>
          <pre className={styles.prompt}>{is === '' ? texts.noPrompt : is}</pre>
        </details>
      ) : (
        <span key={what}>
          {NAMES[what]} <code>{is}</code>
          {was === '' ? (
            texts.unset
          ) : (
            <>
              {` ${texts.insteadOf} `}
              <code>{was}</code>
            </>
          )}
        </span>
      ),
    )}
    {source}
  </aside>
);
