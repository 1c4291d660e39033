import { type FormEvent, type ReactElement, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './knowledge.module.css';
import { useWriteDocument } from './knowledge-data.ts';
import { texts } from './texts.ts';

interface NewDocumentProps {
  readonly ns: string;
  readonly onDone: (path: string) => void;
  readonly onCancel: () => void;
}

const BYTES_MAX = 1_048_576;

/** Asks for path and text of a new document, which may come from a file. */
export const NewDocument = ({ ns, onDone, onCancel }: NewDocumentProps): ReactElement => {
  const [path, setPath] = useState('');
  const [content, setContent] = useState('');
  const [isTooLarge, setIsTooLarge] = useState(false);
  const write = useWriteDocument(ns, onDone);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (path.trim() !== '')
      write.mutate({ path: path.trim().replace(/^\/+|\/+$/g, ''), content, version: '', before: undefined });
  };
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setIsTooLarge(file.size > BYTES_MAX);
    if (file.size > BYTES_MAX) return;
    setContent(await file.text());
    if (path === '') setPath(file.name);
  };
  return (
    <form onSubmit={submit} className={styles.form}>
      <TextField label={texts.path} hint={texts.pathHint} value={path} onChange={setPath} autoFocus isRequired />
      <label className={styles.upload}>
        {texts.upload}{' '}
        <input type="file" accept=".md,.txt,text/*" onChange={(event) => void take(event.target.files?.[0])} />
      </label>
      {isTooLarge && <p role="alert">{texts.tooLarge}</p>}
      <CodeEditor label={texts.text} language="text" value={content} onChange={setContent} isFilled />
      {write.error && <Problem error={write.error} />}
      <div className={styles.actions}>
        <Button onClick={onCancel}>{texts.cancel}</Button>
        <Button
          kind="primary"
          type="submit"
          isBusy={write.isPending}
          disabled={path.trim() === ''}
          disabledReason={texts.pathHint}
        >
          {texts.save}
        </Button>
      </div>
    </form>
  );
};
