import type { TrailEntry } from '@svc/api/data';
import type { CSSProperties, ReactElement } from 'react';
import { Goto } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { Time } from '../../ui/time.tsx';
import { durationText } from '../../ui/time-texts.ts';
import { type Chapter, ENTRY_KINDS, placeOf, storyOf, toneOfState } from './story.ts';
import { texts } from './texts.ts';
import styles from './trail.module.css';

interface TrailStoryProps {
  readonly entries: readonly TrailEntry[];
  /** Id of the record that was asked for. */
  readonly asked: string;
}

/** Deeper entries are not moved further to the right. */
const DEEPEST = 6;

/** A trail as a vertical story: when, what, how it went, and where the thing is. */
export const TrailStory = ({ entries, asked }: TrailStoryProps): ReactElement => (
  <ol className={styles.story} aria-label={texts.story}>
    {storyOf(entries).map((chapter) => (
      <ChapterLine
        key={`${chapter.entry.kind} ${chapter.entry.id}`}
        chapter={chapter}
        isAsked={chapter.entry.id === asked}
      />
    ))}
  </ol>
);

const ChapterLine = ({
  chapter: { entry, depth, sinceMs, tookMs },
  isAsked,
}: {
  readonly chapter: Chapter;
  readonly isAsked: boolean;
}): ReactElement => {
  const kind = ENTRY_KINDS[entry.kind] ?? { name: entry.kind, icon: 'info' as const };
  const place = placeOf(entry);
  const who = [entry.agent, entry.name].filter(Boolean).join(' · ');
  return (
    <li
      className={classNames(styles.chapter, isAsked && styles.askedFor)}
      style={{ '--depth': Math.min(depth, DEEPEST) } as CSSProperties}
      aria-current={isAsked ? 'true' : undefined}
    >
      <span className={styles.when}>
        <span>+{durationText(sinceMs)}</span>
        <Time at={entry.at} />
      </span>
      <span className={styles.mark}>
        <Icon name={kind.icon} />
      </span>
      <div className={styles.what}>
        <p className={styles.line}>
          <strong>{kind.name}</strong>
          {who !== '' && <span>{place === undefined ? who : <Goto to={place}>{who}</Goto>}</span>}
          {entry.state !== '' && <Badge tone={toneOfState(entry.state)}>{entry.state.toLowerCase()}</Badge>}
          {tookMs !== undefined && <span className={styles.soft}>{texts.took(durationText(tookMs))}</span>}
          {isAsked && <span className={styles.soft}>★ {texts.asked}</span>}
        </p>
        {entry.reason !== '' && entry.reason !== entry.state.toLowerCase() && (
          <p className={toneOfState(entry.state) === 'bad' ? styles.wrong : styles.soft}>{entry.reason}</p>
        )}
        {entry.text !== '' && <p className={styles.text}>{entry.text}</p>}
      </div>
    </li>
  );
};
