import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { DiffView } from '../../../ui/diff-view.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { Section } from '../../../ui/page.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { texts } from '../texts.ts';
import { yamlText } from '../yaml-of.ts';
import styles from './editor.module.css';
import { changesOf, mergedOf, type ThreeWayChange } from './three-way.ts';
import type { Stored } from './use-draft.ts';

interface ConflictViewProps {
  readonly base: Stored;
  readonly mine: string;
  readonly theirs: Stored;
  readonly onGoOn: (base: Stored, text: string) => void;
  readonly onBack: () => void;
}

/** Somebody else wrote it meanwhile: what they changed, what I changed, and a choice where both changed the same. */
export const ConflictView = ({ base, mine, theirs, onGoOn, onBack }: ConflictViewProps): ReactElement => {
  const [isTheirs, setIsTheirs] = useState<ReadonlySet<string>>(new Set());
  const merged = useQuery({
    queryKey: ['merge', base.text, mine, theirs.text, [...isTheirs].sort()],
    queryFn: async () => {
      const { readWritten } = await import('../manifest/written-text.ts');
      const [was = {}, own = {}, other = {}] = [base.text, mine, theirs.text].map((text) => readWritten(text).json);
      const sides = { base: was, mine: own, theirs: other };
      const text = await yamlText(mergedOf(sides, (path) => !isTheirs.has(path)));
      return { changes: changesOf(sides), text };
    },
    placeholderData: (before) => before,
  });
  if (merged.data === undefined) return <Loading />;
  const { changes, text } = merged.data;
  const choose = (path: string, side: 'mine' | 'theirs'): void =>
    setIsTheirs((before) => {
      const next = new Set(before);
      if (side === 'theirs') next.add(path);
      else next.delete(path);
      return next;
    });
  return (
    <div className={styles.stage}>
      <Section
        title={texts.conflict}
        actions={
          <div className={styles.actions}>
            <Button onClick={onBack}>{texts.back}</Button>
            <Button kind="primary" onClick={() => onGoOn(theirs, text)}>
              {texts.goOn}
            </Button>
          </div>
        }
      >
        <p>{texts.conflictLead}</p>
        <ul className={styles.changes}>
          {changes.map((change) => (
            <Change key={change.path} change={change} isTheirs={isTheirs.has(change.path)} onChoose={choose} />
          ))}
        </ul>
      </Section>
      <Section title={texts.mergedAgainstTheirs}>
        <DiffView label={texts.mergedAgainstTheirs} before={theirs.text} after={text} language="yaml" />
      </Section>
    </div>
  );
};

interface ChangeProps {
  readonly change: ThreeWayChange;
  readonly isTheirs: boolean;
  readonly onChoose: (path: string, side: 'mine' | 'theirs') => void;
}

const Change = ({ change, isTheirs, onChoose }: ChangeProps): ReactElement => {
  const { path, mine, theirs, by } = change;
  return (
    <li>
      <code>{path}</code>
      <span>{texts.changedBy[by]}</span>
      {by === 'both' && (
        <Segments
          label={`${texts.whichToKeep} ${path}`}
          value={isTheirs ? 'theirs' : 'mine'}
          options={[
            { value: 'mine', label: `${texts.mine}: ${shortText(mine)}` },
            { value: 'theirs', label: `${texts.theirs}: ${shortText(theirs)}` },
          ]}
          onChange={(side) => onChoose(path, side)}
        />
      )}
    </li>
  );
};

const SHOWN = 40;

const shortText = (value: unknown): string => {
  const text = value === undefined ? texts.removed : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
};
