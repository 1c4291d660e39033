import type { ModelProfile } from '@svc/api/resources';
import { type ReactElement, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { valuesOf } from '../../../ui/value-lines.ts';
import { ProfileChoice, composerStyles as styles } from '../composer/index.ts';
import { type ThreadMessage, wordsOf } from '../conversation/index.ts';
import { texts } from '../texts.ts';
import { labelLines } from './fork-point.ts';

interface RetryFormProps {
  readonly message: ThreadMessage;
  readonly labels: Readonly<Record<string, string>>;
  readonly profiles: readonly ModelProfile[];
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onRetry: (retry: {
    readonly text: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly profile: string;
  }) => void;
  readonly onClose: () => void;
}

/** A message once more in a fork: with another text, another of the agent's models, and other labels for its prompt. */
export const RetryForm = (props: RetryFormProps): ReactElement => {
  const { message, profiles, isBusy, error, onRetry, onClose } = props;
  const [text, setText] = useState(() => wordsOf(message));
  const [lines, setLines] = useState(() => labelLines(props.labels));
  const [profile, setProfile] = useState('');
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        onRetry({ text, labels: valuesOf(lines), profile });
      }}
    >
      <TextArea label={texts.edit} hint={texts.resendHint} value={text} onChange={setText} rows={4} autoFocus />
      {profiles.length > 0 && (
        <ProfileChoice label={texts.profile} profiles={profiles} value={profile} onChange={setProfile} />
      )}
      <TextArea label={texts.labels} hint={texts.labelsHint} value={lines} onChange={setLines} rows={2} />
      {error !== null && <Problem error={error} />}
      <div className={styles.bar}>
        <Button
          kind="primary"
          icon="send"
          type="submit"
          isBusy={isBusy}
          disabled={text.trim() === ''}
          disabledReason={texts.writeFirst}
        >
          {texts.resend}
        </Button>
        <Button onClick={onClose}>{texts.cancel}</Button>
      </div>
    </form>
  );
};
