import type { SessionKey } from '@svc/client';
import { defaultEnvironment } from '@svc/client/plain';
import { useRef, useState } from 'react';
import { useWrite } from '../../../api/use-call.ts';
import { type Attachment, MOST_BYTES, withFiles } from '../conversation/index.ts';
import { type Outgoing, readFiles, sendNote, sendOut, type WhenBusy } from './outgoing.ts';
import { useDraft } from './use-draft.ts';

interface ComposerState {
  readonly outgoing: Outgoing;
  readonly change: (part: Partial<Outgoing>) => void;
  readonly addFiles: (list: FileList | undefined) => Promise<void>;
  readonly isTooLarge: boolean;
  readonly isSending: boolean;
  readonly isStopping: boolean;
  /** There is something to send, and nothing is being sent. */
  readonly canSend: boolean;
  readonly error: Error | null;
  readonly send: () => void;
  /** Stores the message without a turn. */
  readonly note: () => void;
  /** Ends the running turn and those that wait. */
  readonly stop: () => void;
}

/** What a person is writing in a session, and what becomes of it. */
export const useComposer = (session: SessionKey, onSent: () => void): ComposerState => {
  const [text, setText] = useDraft(session, 'draft');
  const [files, setFiles] = useState<readonly Attachment[]>([]);
  const [whenBusy, setWhenBusy] = useState<WhenBusy>('queue');
  const [profile, setProfile] = useState('');
  const attempt = useRef({ of: '', key: '' });
  // What is sent once more after a failure may have arrived the first time: the same key makes it one message.
  const keyFor = (what: string, sent: Outgoing): string => {
    const of = JSON.stringify([what, sent.text, sent.files.map(({ key }) => key), sent.whenBusy, sent.profile]);
    if (attempt.current.of !== of) attempt.current = { of, key: defaultEnvironment().uniqueText() };
    return attempt.current.key;
  };
  const onDone = (_answer: unknown, sent: Outgoing): void => {
    attempt.current = { of: '', key: '' };
    setText('');
    setFiles((before) => before.filter((file) => !sent.files.includes(file)));
    onSent();
  };
  const send = useWrite(
    (client, outgoing: Outgoing) => sendOut(client.session(session), outgoing, keyFor('message', outgoing)),
    { onDone },
  );
  const note = useWrite(
    (client, outgoing: Outgoing) => sendNote({ client, session, idempotencyKey: keyFor('note', outgoing) }, outgoing),
    { onDone },
  );
  const stop = useWrite((client) => client.session(session).stop(), { changes: { topics: ['session', 'turn'] } });
  const outgoing: Outgoing = { text, files, whenBusy, profile };
  const isEmpty = text.trim() === '' && files.length === 0;
  const isTooLarge = files.reduce((sum, { bytes }) => sum + bytes.length, 0) > MOST_BYTES;
  const isSending = send.isPending || note.isPending;
  return {
    outgoing,
    change: (part) => {
      if (part.text !== undefined) setText(part.text);
      if (part.files !== undefined) setFiles(part.files);
      if (part.whenBusy !== undefined) setWhenBusy(part.whenBusy);
      if (part.profile !== undefined) setProfile(part.profile);
    },
    addFiles: async (list) => {
      const added = await readFiles(list);
      setFiles((before) => withFiles(before, added));
    },
    isTooLarge,
    isSending,
    isStopping: stop.isPending,
    canSend: !isEmpty && !isTooLarge && !isSending,
    error: send.error ?? note.error ?? stop.error,
    send: () => send.mutate(outgoing),
    note: () => note.mutate(outgoing),
    stop: () => stop.mutate(undefined),
  };
};
