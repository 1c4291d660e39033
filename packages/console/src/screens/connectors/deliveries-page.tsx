import type { Delivery } from '@svc/api/data';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { addresses, Goto, TrailLink } from '../../app/address.tsx';
import { EVERYWHERE } from '../../app/scope.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Facts } from '../../ui/facts.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { HeldAnswers, heldItem } from '../inbox/index.ts';
import { useDeliveryPages, useRetry } from './connector-data.ts';
import { toneOf } from './connector-facts.ts';
import styles from './connectors.module.css';
import type { DeliverySearch } from './index.ts';
import { texts } from './texts.ts';

const STATES = ['held', 'pending', 'delivered', 'rejected', 'dead', 'skipped'];
const EVERY = '';

const columns: readonly Column<Delivery>[] = [
  { title: texts.state, cell: ({ state }) => <Badge tone={toneOf(state)}>{state}</Badge>, rem: 7 },
  { title: texts.text, cell: ({ text }) => text, grow: 3 },
  { title: texts.connector, cell: ({ connector }) => connector },
  { title: texts.namespace, cell: ({ ns }) => ns, isMinor: true },
  { title: texts.tries, cell: ({ attempts }) => attempts, rem: 4, isNumber: true, isMinor: true },
  { title: texts.lastError, cell: ({ lastError }) => lastError, grow: 2, isMinor: true },
  { title: texts.created, cell: ({ createdAt }) => <Time at={createdAt} />, rem: 8 },
];

/** Replies on their way to platforms. */
export const DeliveriesPage = (): ReactElement => {
  const { ns = EVERYWHERE } = useParams({ strict: false });
  const search = useSearch({ from: '/ns/$ns/deliveries' });
  const { state = '', connector = '', item } = search;
  const navigate = useNavigate();
  const change = (changed: DeliverySearch): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...changed }), replace: true });
  const found = useDeliveryPages(ns, state, connector);
  const rows = found.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  const isFiltered = state !== '' || connector !== '';
  return (
    <Page
      title={texts.deliveries}
      isFilled
      filters={<Filters search={search} onChange={change} />}
      actions={
        <>
          <Goto to={addresses.connectors(ns)}>{texts.connectors}</Goto>
          <CopyMenu
            command={`svc delivery list -n ${ns === EVERYWHERE ? 'default' : ns}${state === '' ? '' : ` --state ${state}`}`}
            path={`/v1/ns/${ns === EVERYWHERE ? 'default' : ns}/deliveries`}
          />
        </>
      }
    >
      <Listing
        found={found}
        count={rows.length}
        empty={
          <Empty icon="send" title={isFiltered ? texts.noneFiltered : texts.none}>
            {!isFiltered && <p>{texts.noneLead}</p>}
          </Empty>
        }
      >
        <div className={styles.split}>
          <Table
            label={texts.deliveries}
            rows={rows}
            columns={item === undefined ? columns : columns.filter(({ isMinor }) => isMinor !== true)}
            keyOf={({ id }) => id}
            openKey={item}
            onOpen={({ id }) => change({ item: id })}
            onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
          />
          {item !== undefined && (
            <Detail
              key={item}
              delivery={rows.find(({ id }) => id === item)}
              onClose={() => change({ item: undefined })}
            />
          )}
        </div>
      </Listing>
    </Page>
  );
};

interface FiltersProps {
  readonly search: DeliverySearch;
  readonly onChange: (changed: DeliverySearch) => void;
}

const Filters = ({ search, onChange }: FiltersProps): ReactElement => (
  <>
    <SelectField
      label={texts.state}
      value={search.state ?? EVERY}
      options={[{ value: EVERY, label: texts.everyState }, ...STATES.map((state) => ({ value: state, label: state }))]}
      onChange={(state) => onChange({ state: state === EVERY ? undefined : state })}
    />
    <TextField
      label={texts.connector}
      placeholder={texts.everyConnector}
      value={search.connector ?? ''}
      onChange={(connector) => onChange({ connector: connector === '' ? undefined : connector })}
    />
  </>
);

interface DetailProps {
  readonly delivery: Delivery | undefined;
  readonly onClose: () => void;
}

const Detail = ({ delivery, onClose }: DetailProps): ReactElement => {
  useKey({ keys: 'Escape', does: texts.close, run: onClose });
  return (
    <aside className={styles.detail} aria-label={texts.open}>
      <span className={styles.detailHead}>
        {delivery && <Badge tone={toneOf(delivery.state)}>{delivery.state}</Badge>}
        <IconButton label={texts.close} icon="close" onClick={onClose} />
      </span>
      {delivery === undefined ? <p>{texts.gone}</p> : <DeliveryFacts delivery={delivery} />}
    </aside>
  );
};

const DeliveryFacts = ({ delivery }: { readonly delivery: Delivery }): ReactElement => {
  const { ns, id, agent, sessionId, text } = delivery;
  const can = useCan();
  return (
    <>
      <p className={styles.text}>{text}</p>
      <Facts
        rows={[
          [texts.connector, delivery.connector],
          [texts.service, delivery.connectorClass],
          [texts.namespace, ns],
          [texts.tries, String(delivery.attempts)],
          [texts.lastError, delivery.lastError],
          [texts.next, delivery.nextAttemptAt && <Time key="next" at={delivery.nextAttemptAt} />],
          [texts.created, <Time key="created" at={delivery.createdAt} />],
          [texts.updated, <Time key="updated" at={delivery.updatedAt} />],
          [
            texts.session,
            sessionId !== '' && (
              <Goto key="session" to={addresses.session(ns, agent, sessionId)}>
                {agent}
              </Goto>
            ),
          ],
          [
            texts.story,
            <TrailLink key="trail" ns={ns} id={id}>
              {texts.trail}
            </TrailLink>,
          ],
        ]}
      />
      {can('operator', { ns }) && <DeliveryActions delivery={delivery} />}
    </>
  );
};

const DeliveryActions = ({ delivery }: { readonly delivery: Delivery }): ReactElement | null => {
  const { ns, id, state } = delivery;
  const retry = useRetry(() => notify(texts.sent));
  const canRetry = ['rejected', 'dead'].includes(state);
  const again = (): void => retry.mutate({ ns, id });
  useKey({ keys: 'r', does: texts.retry, run: again }, canRetry && !retry.isPending);
  if (state === 'held') return <HeldAnswers item={heldItem(delivery)} onDone={() => notify(texts.decided)} />;
  if (!canRetry) return null;
  return (
    <>
      {retry.error && <Problem error={retry.error} />}
      <div>
        <Button icon="retry" shortcut="r" isBusy={retry.isPending} onClick={again}>
          {texts.retry}
        </Button>
      </div>
    </>
  );
};
