import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useKey } from '../../keys/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { NamespaceDetails } from './namespace-details.tsx';
import { type NamespaceRow, namespaceRows } from './namespace-rows.ts';
import styles from './namespaces.module.css';
import { useNamespaces, useNewParents } from './namespaces-data.ts';
import { NewNamespaceForm } from './new-namespace-form.tsx';
import { texts } from './texts.ts';

/** The tree of namespaces, and the one that is chosen. */
export const NamespacesPage = (): ReactElement => {
  const { of = '', form, find = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useNamespaces();
  const mayCreate = useNewParents().length > 0;
  const show = (search: Readonly<Record<string, string | undefined>>): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...search }) });
  const create = (): void => show({ form: 'new', of });
  useKey({ keys: 'c', does: texts.create, run: create }, mayCreate);
  const rows = namespaceRows(found.data ?? [], find);
  const chosen = found.data?.find(({ metadata }) => metadata?.name === of);
  return (
    <Page
      title={texts.title}
      filters={<TextField label={texts.find} value={find} onChange={(next) => show({ find: next })} type="search" />}
      actions={
        <>
          {mayCreate && (
            <Button kind="primary" icon="plus" shortcut="c" onClick={create}>
              {texts.create}
            </Button>
          )}
          <CopyMenu command="svc get namespaces" path="/v1/namespaces?recursive=true&includeDeleted=true" />
        </>
      }
    >
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.isSuccess && rows.length === 0 && <Empty title={find === '' ? texts.none : texts.noneFound} />}
      <div className={styles.columns}>
        <ul className={styles.tree} aria-label={texts.title}>
          {rows.map((row) => (
            <Row
              key={row.name}
              row={row}
              isOpen={row.name === of}
              onOpen={() => show({ of: row.name, form: undefined })}
            />
          ))}
        </ul>
        {form === 'new' && mayCreate && (
          <NewNamespaceForm
            parent={of}
            onDone={(name) => show({ form: undefined, of: name })}
            onCancel={() => show({ form: undefined })}
          />
        )}
        {form !== 'new' && chosen !== undefined && <NamespaceDetails key={of} namespace={chosen} />}
        {form !== 'new' && chosen === undefined && rows.length > 0 && <p className={styles.soft}>{texts.choose}</p>}
      </div>
    </Page>
  );
};

interface RowProps {
  readonly row: NamespaceRow;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

const Row = ({ row, isOpen, onOpen }: RowProps): ReactElement => {
  const { name, depth, namespace } = row;
  const { isDeleted = false, deletedAt = 0n } = namespace.status ?? {};
  return (
    <li>
      <button
        type="button"
        className={styles.row}
        style={{ paddingInlineStart: `${depth * 1.25 + 0.75}rem` }}
        aria-current={isOpen}
        onClick={onOpen}
      >
        <span className={styles.name}>{name}</span>
        {isDeleted && (
          <>
            <span className={styles.soft}>
              <Time at={deletedAt} />
            </span>
            <Badge tone="bad">{texts.deleted}</Badge>
          </>
        )}
      </button>
    </li>
  );
};
