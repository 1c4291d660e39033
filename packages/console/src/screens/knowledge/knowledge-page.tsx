import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Activity, type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { EVERYWHERE } from '../../app/scope.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { PathTree } from '../../ui/path-tree.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Split } from '../../ui/split.tsx';
import type { TextDrafts } from '../../ui/text-draft.ts';
import styles from './knowledge.module.css';
import { type DocumentName, useDeleteDocument, useDocument, useDocuments, useWriteDocument } from './knowledge-data.ts';
import { KnowledgeSearch } from './knowledge-search.tsx';
import { NewDocument } from './new-document.tsx';
import { TextDocument } from './text-document.tsx';
import { texts } from './texts.ts';

/** The documents of a namespace in their folders, and the one that is read or written. */
export const KnowledgePage = (): ReactElement => {
  const { ns = EVERYWHERE } = useParams({ strict: false });
  if (ns === EVERYWHERE)
    return (
      <Page title={texts.title}>
        <Empty icon="book" title={texts.chooseNamespace} />
      </Page>
    );
  return <Documents key={ns} ns={ns} />;
};

const Documents = ({ ns }: { readonly ns: string }): ReactElement => {
  const { doc = '', form, q = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [drafts] = useState<TextDrafts>(() => new Map());
  const found = useDocuments(ns);
  const mayWrite = useCan()('operator', { ns });
  const show = (search: Readonly<Record<string, string | undefined>>): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...search }) });
  const create = (): void => show({ form: 'new' });
  useKey({ keys: 'c', does: texts.create, run: create }, mayWrite);
  const chosen = found.data?.find(({ path }) => path === doc);
  return (
    <Page
      title={texts.title}
      isFilled
      actions={
        <>
          {mayWrite && (
            <Button kind="primary" icon="plus" shortcut="c" onClick={create}>
              {texts.create}
            </Button>
          )}
          <CopyMenu
            command={`svc knowledge list -n ${ns}`}
            path={`/v1/namespaces/${encodeURIComponent(ns)}/knowledge`}
          />
        </>
      }
      filters={<KnowledgeSearch ns={ns} onOpen={(path) => show({ doc: path, q: undefined })} />}
    >
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {form === 'new' && mayWrite && (
        <NewDocument
          ns={ns}
          taken={found.data?.map(({ path }) => path) ?? []}
          onDone={(path) => show({ form: undefined, doc: path })}
          onCancel={() => show({ form: undefined })}
        />
      )}
      {found.data?.length === 0 && form !== 'new' && (
        <Empty icon="book" title={texts.none}>
          <p>{texts.howToGet}</p>
        </Empty>
      )}
      {found.data && found.data.length > 0 && (
        // Hidden instead of gone, so that what was written stays while a new document or what was found is shown.
        <Activity mode={form === 'new' || q !== '' ? 'hidden' : 'visible'}>
          <Split
            list={
              <PathTree
                label={texts.tree}
                paths={found.data.map(({ path }) => path)}
                open={doc}
                onOpen={(path) => show({ doc: path })}
              />
            }
          >
            {chosen === undefined ? (
              <p className={styles.soft}>{texts.choose}</p>
            ) : (
              <OneDocument
                key={chosen.name}
                ns={ns}
                document={chosen}
                drafts={drafts}
                mayWrite={mayWrite}
                onGone={() => show({ doc: undefined })}
              />
            )}
          </Split>
        </Activity>
      )}
    </Page>
  );
};

interface OneDocumentProps {
  readonly ns: string;
  readonly document: DocumentName;
  readonly drafts: TextDrafts;
  readonly mayWrite: boolean;
  readonly onGone: () => void;
}

const OneDocument = ({ ns, document, drafts, mayWrite, onGone }: OneDocumentProps): ReactElement => {
  const { name, path } = document;
  const found = useDocument(ns, name);
  const [asks, setAsks] = useState(false);
  const write = useWriteDocument(ns, () => undefined);
  const remove = useDeleteDocument(ns, onGone);
  const problem = found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data === undefined) return problem ?? <Loading />;
  const before = found.data;
  return (
    <>
      {problem}
      <div className={styles.bar}>
        <h2>{path}</h2>
        <div className={styles.actions}>
          {mayWrite && (
            <Button icon="trash" kind="danger" isBusy={remove.isPending} onClick={() => setAsks(true)}>
              {texts.delete}
            </Button>
          )}
          <CopyMenu
            command={`svc knowledge get ${path} -n ${ns}`}
            path={`/v1/namespaces/${encodeURIComponent(ns)}/knowledge/${encodeURIComponent(name)}`}
          />
        </div>
      </div>
      {remove.error && <Problem error={remove.error} />}
      <TextDocument
        label={path}
        stored={before.spec?.content ?? ''}
        version={before.metadata?.resourceVersion ?? ''}
        drafts={drafts}
        id={name}
        mayWrite={mayWrite}
        isSaving={write.isPending}
        error={write.error}
        onSave={(content, version) => write.mutate({ path, content, version, before })}
      />
      {asks && (
        <Confirm
          title={texts.deleteTitle(path)}
          action={texts.delete}
          onConfirm={() => remove.mutate(document)}
          onClose={() => setAsks(false)}
        >
          {texts.deleteLead}
        </Confirm>
      )}
    </>
  );
};
