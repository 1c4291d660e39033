import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type DragEvent, type ReactElement, useRef, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { EVERYWHERE } from '../../app/scope.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { PathTree } from '../../ui/path-tree.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Split } from '../../ui/split.tsx';
import { FileDetails } from './file-details.tsx';
import styles from './files.module.css';
import { PURPOSES, type PurposeName, useFiles, useUpload } from './files-data.ts';
import { texts } from './texts.ts';

/** The files of a namespace in their folders, and the one that is shown. */
export const FilesPage = (): ReactElement => {
  const { ns = EVERYWHERE } = useParams({ strict: false });
  if (ns === EVERYWHERE)
    return (
      <Page title={texts.title}>
        <Empty icon="file" title={texts.chooseNamespace} />
      </Page>
    );
  return <Files key={ns} ns={ns} />;
};

const Files = ({ ns }: { readonly ns: string }): ReactElement => {
  const { file = '', purpose: said } = useSearch({ strict: false });
  const purpose = (Object.keys(PURPOSES) as PurposeName[]).find((known) => known === said) ?? 'all';
  const navigate = useNavigate();
  const found = useFiles(ns, purpose);
  const files = found.data ?? [];
  const upload = useUpload(ns);
  const [folder, setFolder] = useState('/');
  const mayWrite = useCan()('operator', { ns });
  const show = (search: Readonly<Record<string, string | undefined>>): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...search }) });
  const send = (chosen: readonly File[]): void => {
    if (chosen.length > 0) upload.mutate({ files: chosen, folder: folderPath(folder), present: files });
  };
  const chosen = files.find(({ spec }) => spec?.path === file);
  return (
    <Page
      title={texts.title}
      isFilled
      actions={<CopyMenu command={`svc get files -n ${ns}`} path={`/v1/ns/${encodeURIComponent(ns)}/files`} />}
      filters={
        <>
          <Segments
            label={texts.purpose}
            value={purpose}
            options={(Object.keys(PURPOSES) as PurposeName[]).map((value) => ({ value, label: texts.purposes[value] }))}
            onChange={(next) => show({ purpose: next })}
          />
          {mayWrite && <Drop folder={folder} isBusy={upload.isPending} onFolder={setFolder} onFiles={send} />}
        </>
      }
    >
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {upload.error && <Problem error={upload.error} />}
      {found.isPending && <Loading />}
      {found.isSuccess && files.length === 0 && (
        <Empty icon="file" title={texts.none}>
          <p>{texts.howToGet}</p>
        </Empty>
      )}
      {files.length > 0 && (
        <Split
          list={
            <PathTree
              label={texts.title}
              paths={files.map(({ spec }) => spec?.path ?? '')}
              open={file}
              onOpen={(path) => show({ file: path })}
            />
          }
        >
          {chosen === undefined ? (
            <p className={styles.soft}>{texts.choose}</p>
          ) : (
            <FileDetails
              key={chosen.metadata?.uid}
              ns={ns}
              file={chosen}
              mayWrite={mayWrite}
              onGone={() => show({ file: undefined })}
            />
          )}
        </Split>
      )}
    </Page>
  );
};

const folderPath = (text: string): string => {
  const parts = text.split('/').filter(Boolean);
  return parts.length === 0 ? '/' : `/${parts.join('/')}/`;
};

interface DropProps {
  readonly folder: string;
  readonly isBusy: boolean;
  readonly onFolder: (folder: string) => void;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Takes files that are chosen or dropped. */
const Drop = ({ folder, isBusy, onFolder, onFiles }: DropProps): ReactElement => {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  useKey({ keys: 'u', does: texts.upload, run: () => input.current?.click() });
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    <section
      className={isOver ? styles.over : styles.drop}
      aria-label={texts.upload}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <TextField label={texts.folder} value={folder} onChange={onFolder} />
      <Button icon="upload" shortcut="u" isBusy={isBusy} onClick={() => input.current?.click()}>
        {texts.upload}
      </Button>
      <span className={styles.soft}>{texts.drop}</span>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={texts.upload}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
    </section>
  );
};
