import type { Resource } from '@svc/api/resources';
import type { ReactElement } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { DiffView } from '../../../ui/diff-view.tsx';
import { Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { badConditions } from '../conditions.ts';
import { phaseOf, toneOfPhase } from '../phase.ts';
import { texts } from '../texts.ts';
import styles from './editor.module.css';

interface ReviewViewProps {
  readonly before: string;
  readonly after: string;
  /** As it would be stored, with the state that it would have at first. */
  readonly resource: Resource;
  readonly isNew: boolean;
  readonly isSaving: boolean;
  readonly error: Error | null;
  readonly onBack: () => void;
  readonly onSave: () => void;
}

/** What would change, before it does. */
export const ReviewView = (props: ReviewViewProps): ReactElement => {
  const { before, after, resource, isNew, isSaving, error, onBack, onSave } = props;
  const phase = phaseOf(resource);
  const isSame = before === after;
  return (
    <div className={styles.stage}>
      <Section
        title={isNew ? texts.reviewNew : texts.review}
        actions={
          <div className={styles.actions}>
            <Button disabled={isSaving} disabledReason={texts.saving} onClick={onBack}>
              {texts.back}
            </Button>
            <Button
              kind="primary"
              shortcut="mod+s"
              isBusy={isSaving}
              disabled={isSame}
              disabledReason={texts.nothingChanges}
              onClick={onSave}
            >
              {isNew ? texts.create : texts.save}
            </Button>
          </div>
        }
      >
        {error && <Problem error={error} />}
        {phase !== '' && (
          <div className={styles.actions}>
            {texts.willBe} <Badge tone={toneOfPhase(phase)}>{phase}</Badge>
          </div>
        )}
        {badConditions(resource).map(({ type, reason, message }) => (
          <p key={type}>
            <strong>{type}</strong> {reason}: {message}
          </p>
        ))}
        {isSame ? (
          <p>{texts.nothingChanges}</p>
        ) : (
          <DiffView label={texts.review} before={before} after={after} language="yaml" />
        )}
      </Section>
    </div>
  );
};
