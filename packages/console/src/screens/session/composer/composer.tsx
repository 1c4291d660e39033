import type { ModelProfile } from '@svc/api/resources';
import type { SessionKey } from '@svc/client';
import { type KeyboardEvent, type ReactElement, useRef } from 'react';
import { useKey } from '../../../keys/use-keys.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { sizeText } from '../../../ui/time-texts.ts';
import type { Attachment } from '../conversation/index.ts';
import { texts } from '../texts.ts';
import styles from './composer.module.css';
import { WHEN_BUSY, type WhenBusy } from './outgoing.ts';
import { ProfileChoice } from './profile-choice.tsx';
import { useComposer } from './use-composer.ts';

interface ComposerProps {
  readonly session: SessionKey;
  /** A turn runs or waits. */
  readonly isBusy: boolean;
  readonly profiles: readonly ModelProfile[];
  /** Only the field and its buttons, for people who only talk. */
  readonly isPlain: boolean;
  /** A message or note was stored. */
  readonly onSent: () => void;
}

/** Where a person writes: text, files, and what happens while the agent works. A draft outlives everything but the tab. */
export const Composer = ({ session, isBusy, profiles, isPlain, onSent }: ComposerProps): ReactElement => {
  const state = useComposer(session, onSent);
  const { outgoing, change, canSend } = state;
  const field = useRef<HTMLTextAreaElement>(null);
  useKey({ keys: 'c', does: texts.message, run: () => field.current?.focus() });
  useKey({ keys: 'x', does: texts.stop, run: state.stop }, isBusy);
  const press = (event: KeyboardEvent): void => {
    const isPlainEnter = event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing;
    if (!isPlainEnter || isTouch()) return;
    event.preventDefault();
    if (canSend) state.send();
  };
  return (
    <section
      className={styles.composer}
      aria-label={texts.message}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void state.addFiles(event.dataTransfer.files);
      }}
    >
      {state.error !== null && <Problem error={state.error} />}
      {state.isTooLarge && <p className={styles.warning}>{texts.tooLarge}</p>}
      <Files
        files={outgoing.files}
        onRemove={(file) => change({ files: outgoing.files.filter((other) => other !== file) })}
      />
      <textarea
        ref={field}
        className={styles.field}
        aria-label={texts.message}
        placeholder={isTouch() ? texts.placeholderTouch : texts.placeholder}
        rows={Math.min(12, Math.max(2, outgoing.text.split('\n').length))}
        value={outgoing.text}
        // While it is sent nothing is typed into it that would be lost with it.
        readOnly={state.isSending}
        onChange={(event) => change({ text: event.target.value })}
        onKeyDown={press}
        onPaste={(event) => void state.addFiles(event.clipboardData.files)}
      />
      <Bar state={state} isBusy={isBusy} profiles={profiles} isPlain={isPlain} />
    </section>
  );
};

interface BarProps extends Pick<ComposerProps, 'isBusy' | 'profiles' | 'isPlain'> {
  readonly state: ReturnType<typeof useComposer>;
}

const Bar = ({ state, isBusy, profiles, isPlain }: BarProps): ReactElement => {
  const { outgoing, change, canSend } = state;
  return (
    <div className={styles.bar}>
      <FileButton onFiles={(list) => void state.addFiles(list)} />
      {isBusy && !isPlain && <BusyChoice value={outgoing.whenBusy} onChange={(whenBusy) => change({ whenBusy })} />}
      {!isPlain && profiles.length > 1 && (
        <ProfileChoice
          label={texts.profile}
          isLabelHidden
          profiles={profiles}
          value={outgoing.profile}
          onChange={(profile) => change({ profile })}
        />
      )}
      <span className={styles.space} />
      {!isPlain && canSend && (
        <Menu label={texts.actions} items={[{ label: texts.note, icon: 'edit', onSelect: state.note }]} />
      )}
      {isBusy && (
        <Button icon="stop" shortcut="x" isBusy={state.isStopping} onClick={state.stop}>
          {texts.stop}
        </Button>
      )}
      <Button
        kind="primary"
        icon="send"
        disabled={!canSend}
        disabledReason={state.isTooLarge ? texts.tooLarge : texts.writeFirst}
        isBusy={state.isSending}
        onClick={state.send}
      >
        {isBusy && !isPlain ? texts[outgoing.whenBusy] : texts.send}
      </Button>
    </div>
  );
};

/** On a phone Enter begins a line; the button sends. */
const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches;

const BusyChoice = ({
  value,
  onChange,
}: {
  readonly value: WhenBusy;
  readonly onChange: (value: WhenBusy) => void;
}): ReactElement => (
  <div className={styles.busy} title={texts[`${value}Hint`]}>
    <SelectField
      label={texts.whenBusy}
      isLabelHidden
      value={value}
      options={WHEN_BUSY.map((option) => ({ value: option, label: texts[option] }))}
      onChange={onChange}
    />
    <small>{texts[`${value}Hint`]}</small>
  </div>
);

const Files = ({
  files,
  onRemove,
}: {
  readonly files: readonly Attachment[];
  readonly onRemove: (file: Attachment) => void;
}): ReactElement | null =>
  files.length === 0 ? null : (
    <ul className={styles.files}>
      {files.map((file) => (
        <li key={file.key}>
          {file.name} <small>{sizeText(file.bytes.length)}</small>
          <IconButton label={`${texts.removeFile} ${file.name}`} icon="close" onClick={() => onRemove(file)} />
        </li>
      ))}
    </ul>
  );

const FileButton = ({ onFiles }: { readonly onFiles: (files: FileList | undefined) => void }): ReactElement => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label={texts.attach} icon="upload" onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles(event.target.files ?? undefined);
          event.target.value = '';
        }}
      />
    </>
  );
};
