import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactElement, useRef } from 'react';
import { useAccess } from '../../access/access-context.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './inbox.module.css';
import { useInbox } from './inbox-data.ts';
import { equalTo, type InboxItem, type InboxSearch, inboxSearch, KINDS, nextAfter } from './inbox-item.ts';
import { ItemDetail } from './item-detail.tsx';
import { ItemList } from './item-list.tsx';
import { kindNames, texts } from './texts.ts';

/** Everything that waits for a person, and one of it with all that is needed to decide. */
export const InboxPage = (): ReactElement => {
  const search = inboxSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const inbox = useInbox(search);
  const detail = useRef<HTMLDivElement>(null);
  const { items } = inbox;
  const shown = items.find(({ key }) => key === search.item);
  const change = (changed: InboxSearch): void =>
    void navigate({ to: '/inbox', search: (before) => ({ ...before, ...changed }), replace: true });
  const show = (item: string | undefined): void => change({ item });
  const step = (by: number): void => {
    const at = items.findIndex(({ key }) => key === search.item);
    const next = items[Math.max(0, Math.min(items.length - 1, at + by))];
    if (next !== undefined) show(next.key);
  };
  useKey({ keys: 'j', does: texts.next, run: () => step(1) });
  useKey({ keys: 'k', does: texts.previous, run: () => step(-1) });
  useKey({ keys: 'Enter', does: texts.open, run: () => focusFirst(detail.current) }, shown !== undefined);
  return (
    <Page
      title={texts.title}
      isFilled
      filters={<Filters search={search} onChange={change} />}
      actions={<CopyMenu command="svc inbox -A" path="/v1/ns/-/permission-requests" />}
    >
      {inbox.errors.map((error) => (
        <Problem key={error.message} error={error} onRetry={inbox.reload} />
      ))}
      {inbox.isPending && items.length === 0 && <Loading />}
      {!inbox.isPending && items.length === 0 && search.item === undefined && inbox.errors.length === 0 && (
        <Nothing search={search} onClear={() => void navigate({ to: '/inbox', search: {} })} />
      )}
      {(items.length > 0 || search.item !== undefined) && (
        <div className={classNames(styles.split, search.item !== undefined && styles.hasItem)}>
          <div className={styles.list}>
            <ItemList
              items={items}
              openKey={search.item}
              onOpen={(key) => (key === search.item ? focusFirst(detail.current) : show(key))}
            />
            {inbox.more && <Button onClick={inbox.more}>{texts.more}</Button>}
          </div>
          <div className={styles.detail} ref={detail}>
            <Shown item={shown} items={items} isChosen={search.item !== undefined && !inbox.isPending} onShow={show} />
          </div>
        </div>
      )}
    </Page>
  );
};

const focusFirst = (area: HTMLDivElement | null): void =>
  area?.querySelector<HTMLElement>('input, textarea, select, [data-answers] button')?.focus();

interface ShownProps {
  readonly item: InboxItem | undefined;
  readonly items: readonly InboxItem[];
  /** The address names an item. */
  readonly isChosen: boolean;
  readonly onShow: (item: string | undefined) => void;
}

const Shown = ({ item, items, isChosen, onShow }: ShownProps): ReactElement => {
  const back = (
    <div className={styles.back}>
      <Button icon="left" kind="quiet" onClick={() => onShow(undefined)}>
        {texts.back}
      </Button>
    </div>
  );
  if (item !== undefined) {
    return (
      <>
        {back}
        <ItemDetail
          key={item.key}
          item={item}
          equal={equalTo(item, items)}
          onDone={(done) => onShow(nextAfter(items, done))}
        />
      </>
    );
  }
  return isChosen ? (
    <>
      {back}
      <Empty icon="check" title={texts.gone}>
        <p>{texts.goneLead}</p>
      </Empty>
    </>
  ) : (
    <Empty icon="inbox" title={texts.choose}>
      <p>{texts.chooseLead}</p>
    </Empty>
  );
};

interface FiltersProps {
  readonly search: InboxSearch;
  readonly onChange: (changed: InboxSearch) => void;
}

const EVERY = '';

const Filters = ({ search, onChange }: FiltersProps): ReactElement => {
  const { namespaces } = useAccess();
  return (
    <div className={classNames(styles.filters, search.item !== undefined && styles.hasItem)}>
      <SelectField
        label={texts.kind}
        value={search.kind ?? EVERY}
        options={[
          { value: EVERY, label: texts.everyKind },
          ...KINDS.map((kind) => ({ value: kind, label: kindNames[kind] })),
        ]}
        onChange={(kind) => onChange({ kind: kind === EVERY ? undefined : kind })}
      />
      <SelectField
        label={texts.namespace}
        value={search.ns ?? EVERY}
        options={[
          { value: EVERY, label: texts.everywhere },
          ...namespaces.rows.map(({ name }) => ({ value: name, label: name })),
        ]}
        onChange={(ns) => onChange({ ns: ns === EVERY ? undefined : ns })}
      />
      <TextField
        label={texts.agent}
        placeholder={texts.anyone}
        value={search.agent ?? ''}
        onChange={(agent) => onChange({ agent: agent === '' ? undefined : agent })}
      />
      <TextField
        label={texts.identity}
        placeholder={texts.anyone}
        value={search.identity ?? ''}
        onChange={(identity) => onChange({ identity: identity === '' ? undefined : identity })}
      />
    </div>
  );
};

const Nothing = ({ search, onClear }: { readonly search: InboxSearch; readonly onClear: () => void }): ReactElement => {
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Empty icon="check" title={isFiltered ? texts.noneFiltered : texts.none}>
      {isFiltered ? (
        <Button onClick={onClear}>{texts.clear}</Button>
      ) : (
        <>
          <p>{texts.noneLead}</p>
          <p>
            {texts.try} <code>{texts.tryText}</code>
          </p>
        </>
      )}
    </Empty>
  );
};
