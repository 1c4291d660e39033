import { type FormEvent, type ReactElement, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './knowledge.module.css';
import { useWriteDocument } from './knowledge-data.ts';
import { documentPath, newPathObstacle } from './new-path.ts';
import { texts } from './texts.ts';

interface NewDocumentProps {
  readonly ns: string;
  /** Paths of the documents that exist: a new one must not replace them. */
  readonly taken: readonly string[];
  readonly onDone: (path: string) => void;
  readonly onCancel: () => void;
}

const BYTES_MAX = 1_048_576;

/** Asks for path and text of a new document, which may come from a file. */
export const NewDocument = ({ ns, taken, onDone, onCancel }: NewDocumentProps): ReactElement => {
  const [path, setPath] = useState('');
  const [content, setContent] = useState('');
  const [isTooLarge, setIsTooLarge] = useState(false);
  const write = useWriteDocument(ns, onDone);
  const wanted = documentPath(path);
  const obstacle = newPathObstacle(wanted, taken);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (obstacle === undefined && !write.isPending)
      write.mutate({ path: wanted, content, version: '', before: undefined });
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
          disabled={obstacle !== undefined}
          disabledReason={obstacle ?? ''}
        >
          {texts.save}
        </Button>
      </div>
    </form>
  );
};
