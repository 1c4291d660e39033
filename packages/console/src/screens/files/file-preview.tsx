import type { File as StoredFile } from '@svc/api/resources';
import type { ReactElement } from 'react';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './files.module.css';
import { useContent } from './files-data.ts';
import { previewKind } from './preview-kind.ts';
import { texts } from './texts.ts';

/** What is in a file, shown in ways in which nothing of it is run. */
export const FilePreview = ({ ns, file }: { readonly ns: string; readonly file: StoredFile }): ReactElement => {
  const path = file.spec?.path ?? '';
  const mediaType = file.status?.objectRef?.mediaType || (file.spec?.mediaType ?? '');
  const kind = previewKind(mediaType, path);
  const found = useContent(ns, file, kind !== 'none');
  if (kind === 'none') return <p className={styles.soft}>{texts.noPreview}</p>;
  if (found.error) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data === undefined) return <Loading />;
  if (found.data === null) return <p className={styles.soft}>{texts.tooLargeToShow}</p>;
  if (kind === 'image')
    return <Picture bytes={found.data} mediaType={mediaType} alt={path} className={styles.picture} />;
  const text = new TextDecoder().decode(found.data);
  if (kind === 'markdown')
    return (
      <div className={styles.paper}>
        <Markdown text={text} />
      </div>
    );
  return <CodeEditor label={path} language={kind} value={text} />;
};
