import { type ReactElement, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { composerStyles as styles } from '../composer/index.ts';
import { type ThreadMessage, wordsOf } from '../conversation/index.ts';
import { texts } from '../texts.ts';
import { overridesFor, type TriedValues } from './tried-values.ts';

interface TryFormProps {
  readonly message: ThreadMessage;
  /** What the session runs with now. */
  readonly values: TriedValues;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onTry: (tried: { readonly text: string; readonly overrides: ReturnType<typeof overridesFor> }) => void;
  readonly onClose: () => void;
}

/** A message once more in a fork that runs with another model, temperature or system prompt than the agent. */
export const TryForm = ({ message, values, isBusy, error, onTry, onClose }: TryFormProps): ReactElement => {
  const [text, setText] = useState(() => wordsOf(message));
  const [model, setModel] = useState(values.model);
  const [temperature, setTemperature] = useState(values.temperature);
  const [systemPrompt, setSystemPrompt] = useState(values.systemPrompt);
  const overrides = overridesFor({ model, temperature, systemPrompt }, values);
  const isSame = Object.keys(overrides).length === 0;
  return (
    <form
      className={styles.composer}
      aria-label={texts.tryChanges}
      onSubmit={(event) => {
        event.preventDefault();
        onTry({ text, overrides });
      }}
    >
      <TextArea label={texts.edit} hint={texts.resendHint} value={text} onChange={setText} rows={2} autoFocus />
      <TextField label={texts.tryModel} hint={texts.tryModelHint} value={model} onChange={setModel} />
      <TextField label={texts.temperature} hint={texts.temperatureHint} value={temperature} onChange={setTemperature} />
      <TextArea label={texts.systemPrompt} value={systemPrompt} onChange={setSystemPrompt} rows={6} />
      {error !== null && <Problem error={error} />}
      <div className={styles.bar}>
        <Button
          kind="primary"
          icon="send"
          type="submit"
          isBusy={isBusy}
          disabled={text.trim() === '' || isSame}
          disabledReason={isSame ? texts.changeFirst : texts.writeFirst}
        >
          {texts.tryFork}
        </Button>
        <Button onClick={onClose}>{texts.cancel}</Button>
      </div>
    </form>
  );
};
