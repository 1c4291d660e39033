import { type ReactElement, useState } from 'react';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Segments } from '../../ui/segments.tsx';
import { type TextDrafts, useTextDraft } from '../../ui/text-draft.ts';
import styles from './knowledge.module.css';
import { texts } from './texts.ts';

interface TextDocumentProps {
  readonly label: string;
  /** The stored text. */
  readonly stored: string;
  /** Changes with each write of anybody. */
  readonly version: string;
  /** Where a draft stays while another text is shown, under the name `id`. */
  readonly drafts: TextDrafts;
  readonly id: string;
  readonly mayWrite: boolean;
  readonly isSaving: boolean;
  readonly error: Error | null;
  /** `version` is the one that the text was begun with: a write over another one has to be refused. */
  readonly onSave: (text: string, version: string) => void;
}

/** A text to read, formatted as Markdown, and to change. A draft stays while others write. */
export const TextDocument = (props: TextDocumentProps): ReactElement => {
  const { label, stored, version, mayWrite, isSaving, error, onSave } = props;
  const under = { drafts: props.drafts, name: props.id };
  const { draft, setText, discard, markSent } = useTextDraft({ text: stored, version }, under);
  const [view, setView] = useState<'read' | 'edit'>(draft === undefined ? 'read' : 'edit');
  const text = draft?.text ?? stored;
  const isChanged = draft !== undefined;
  const save = (): void => {
    if (!isChanged || isSaving) return;
    markSent();
    onSave(draft.text, draft.version);
  };
  useKey({ keys: 'mod+s', does: texts.save, run: save }, mayWrite && isChanged);
  useKey({ keys: 'e', does: texts.edit, run: () => setView('edit') }, mayWrite);
  return (
    <>
      <div className={styles.bar}>
        <Segments
          label={label}
          value={view}
          options={[
            { value: 'read', label: texts.read },
            { value: 'edit', label: mayWrite ? texts.edit : texts.text },
          ]}
          onChange={setView}
        />
        {isChanged && (
          <div className={styles.actions}>
            <Button onClick={discard}>{texts.discard}</Button>
            <Button kind="primary" shortcut="mod+s" isBusy={isSaving} onClick={save}>
              {texts.save}
            </Button>
          </div>
        )}
      </div>
      {isChanged && draft.version !== version && <p role="status">{texts.stale}</p>}
      {error && <Problem error={error} />}
      {view === 'read' ? (
        <div className={styles.paper}>
          <Markdown text={text} />
        </div>
      ) : (
        <CodeEditor label={label} language="text" value={text} onChange={mayWrite ? setText : undefined} isFilled />
      )}
    </>
  );
};
