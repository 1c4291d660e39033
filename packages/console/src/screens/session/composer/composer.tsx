import type { ModelProfile } from '@svc/api/resources';
import type { SessionKey } from '@svc/client';
import { type ChangeEvent, type ClipboardEvent, type KeyboardEvent, type ReactElement, useRef, useState } from 'react';
import { useWrite } from '../../../api/use-call.ts';
import { useKey } from '../../../keys/use-keys.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { sizeText } from '../../../ui/time-texts.ts';
import { type Attachment, MOST_BYTES } from '../conversation/attachments.ts';
import { texts } from '../texts.ts';
import styles from './composer.module.css';
import { type Outgoing, readFiles, sendNote, sendOut, WHEN_BUSY, type WhenBusy } from './outgoing.ts';
import { useDraft } from './use-draft.ts';

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
  const [text, setText] = useDraft(session, 'draft');
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const [whenBusy, setWhenBusy] = useState<WhenBusy>('queue');
  const [profile, setProfile] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const clear = (_answer: unknown, sent: Outgoing): void => {
    // What was typed meanwhile stays.
    if (sessionDraft(field.current) === sent.text) setText('');
    setFiles((before) => before.filter((file) => !sent.files.includes(file)));
    onSent();
  };
  const send = useWrite((client, outgoing: Outgoing) => sendOut(client.session(session), outgoing), { onDone: clear });
  const note = useWrite((client, outgoing: Outgoing) => sendNote(client, session, outgoing), { onDone: clear });
  const stop = useWrite((client) => client.session(session).stop(), { changes: { topics: ['session', 'turn'] } });
  const outgoing: Outgoing = { text, files, whenBusy, profile };
  const isEmpty = text.trim() === '' && files.length === 0;
  const isTooLarge = files.reduce((sum, { bytes }) => sum + bytes.length, 0) > MOST_BYTES;
  const isSending = send.isPending || note.isPending;
  const canSend = !isEmpty && !isTooLarge && !isSending;
  useKey({ keys: 'c', does: texts.message, run: () => field.current?.focus() });
  useKey({ keys: 'x', does: texts.stop, run: () => stop.mutate(undefined) }, isBusy);
  const press = (event: KeyboardEvent): void => {
    const isPlainEnter = event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing;
    if (!isPlainEnter || isTouch()) return;
    event.preventDefault();
    if (canSend) send.mutate(outgoing);
  };
  const add = async (list: FileList | undefined): Promise<void> => {
    const read = await readFiles(list);
    setFiles((before) => before.concat(read));
  };
  const error = send.error ?? note.error ?? stop.error;
  return (
    <section
      className={styles.composer}
      aria-label={texts.message}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void add(event.dataTransfer.files);
      }}
    >
      {error !== null && <Problem error={error} />}
      {isTooLarge && <p className={styles.warning}>{texts.tooLarge}</p>}
      <Files files={files} onRemove={(file) => setFiles(files.filter((other) => other !== file))} />
      <textarea
        ref={field}
        className={styles.field}
        aria-label={texts.message}
        placeholder={texts.placeholder}
        rows={Math.min(12, Math.max(2, text.split('\n').length))}
        value={text}
        onChange={(event: ChangeEvent<HTMLTextAreaElement>) => setText(event.target.value)}
        onKeyDown={press}
        onPaste={(event: ClipboardEvent) => void add(event.clipboardData.files)}
      />
      <div className={styles.bar}>
        <FileButton onFiles={(list) => void add(list)} />
        {isBusy && !isPlain && <BusyChoice value={whenBusy} onChange={setWhenBusy} />}
        {!isPlain && profiles.length > 1 && <ProfileChoice profiles={profiles} value={profile} onChange={setProfile} />}
        <span className={styles.space} />
        {!isPlain && !isEmpty && (
          <Menu
            label={texts.actions}
            items={[{ label: texts.note, icon: 'edit', onSelect: () => note.mutate(outgoing) }]}
          />
        )}
        {isBusy && (
          <Button icon="stop" shortcut="x" isBusy={stop.isPending} onClick={() => stop.mutate(undefined)}>
            {texts.stop}
          </Button>
        )}
        <Button
          kind="primary"
          icon="send"
          disabled={!canSend}
          disabledReason={isTooLarge ? texts.tooLarge : 'Write something first'}
          isBusy={isSending}
          onClick={() => send.mutate(outgoing)}
        >
          {isBusy && !isPlain ? texts[whenBusy] : texts.send}
        </Button>
      </div>
    </section>
  );
};

const sessionDraft = (field: HTMLTextAreaElement | null): string => field?.value ?? '';

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

const ProfileChoice = ({
  profiles,
  value,
  onChange,
}: {
  readonly profiles: readonly ModelProfile[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactElement => (
  <SelectField
    label={texts.profile}
    isLabelHidden
    value={value}
    options={[
      { value: '', label: texts.profileDefault },
      ...profiles.map(({ name, model }) => ({ value: name, label: `${name} (${model?.name ?? ''})` })),
    ]}
    onChange={onChange}
  />
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
      {files.map((file, index) => (
        <li key={`${index} ${file.name}`}>
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
