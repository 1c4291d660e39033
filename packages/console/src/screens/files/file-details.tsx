import type { File as StoredFile } from '@svc/api/resources';
import { type ReactElement, useState } from 'react';
import { useClient } from '../../access/access-context.ts';
import { useWrite } from '../../api/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { saveAs } from '../../ui/save-as.ts';
import { Time } from '../../ui/time.tsx';
import { sizeText } from '../../ui/time-texts.ts';
import { FilePreview } from './file-preview.tsx';
import styles from './files.module.css';
import { downloadUrl, useDeleteFile } from './files-data.ts';
import { texts } from './texts.ts';

interface FileDetailsProps {
  readonly ns: string;
  readonly file: StoredFile;
  readonly mayWrite: boolean;
  readonly onGone: () => void;
}

/** One file: what it is, what is in it, and what can be done with it. */
export const FileDetails = ({ ns, file, mayWrite, onGone }: FileDetailsProps): ReactElement => {
  const { metadata, spec, status } = file;
  const path = spec?.path ?? '';
  const name = metadata?.name ?? '';
  const content = status?.objectRef;
  const [asks, setAsks] = useState(false);
  const client = useClient();
  const remove = useDeleteFile(ns, onGone);
  const download = useWrite<void, void>(async () =>
    saveAs(await downloadUrl(client, ns, name), path.split('/').at(-1) ?? ''),
  );
  return (
    <>
      <div className={styles.bar}>
        <h2>{path}</h2>
        <div className={styles.actions}>
          <Button
            icon="download"
            isBusy={download.isPending}
            disabled={content === undefined}
            disabledReason={texts.noContent}
            onClick={() => download.mutate()}
          >
            {texts.download}
          </Button>
          {mayWrite && (
            <Button icon="trash" kind="danger" isBusy={remove.isPending} onClick={() => setAsks(true)}>
              {texts.delete}
            </Button>
          )}
          <CopyMenu
            command={`svc get file ${name} -n ${ns}`}
            path={`/v1/ns/${encodeURIComponent(ns)}/files/${encodeURIComponent(name)}`}
          />
        </div>
      </div>
      {remove.error && <Problem error={remove.error} />}
      {download.error && <Problem error={download.error} />}
      <Facts
        rows={[
          [texts.type, content?.mediaType || spec?.mediaType],
          [texts.size, content && sizeText(Number(content.sizeBytes))],
          [texts.updated, <Time key="updated" at={status?.updatedAt} />],
          [texts.search, texts.indexPolicies[spec?.indexPolicy ?? 0]],
          [texts.retention, texts.retentions[spec?.retention ?? 0]],
          [texts.hash, content?.sha256],
        ]}
      />
      <Section title={texts.preview}>
        {content === undefined ? <p className={styles.soft}>{texts.noContent}</p> : <FilePreview ns={ns} file={file} />}
      </Section>
      {asks && (
        <Confirm
          title={texts.deleteTitle(path)}
          action={texts.delete}
          onConfirm={() => remove.mutate(file)}
          onClose={() => setAsks(false)}
        >
          {texts.deleteLead}
        </Confirm>
      )}
    </>
  );
};
