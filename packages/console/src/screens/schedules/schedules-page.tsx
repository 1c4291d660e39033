import type { Resource } from '@svc/api/resources';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { addresses, Goto } from '../../app/address.tsx';
import { EVERYWHERE } from '../../app/scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useSchedules } from './schedule-data.ts';
import { targetText, whenText } from './schedule-facts.ts';
import { texts } from './texts.ts';

const specOf = ({ spec }: Resource) => (spec?.kind.case === 'schedule' ? spec.kind.value : undefined);
const statusOf = ({ status }: Resource) => (status?.kind.case === 'schedule' ? status.kind.value : undefined);
const isFailing = (row: Resource): boolean => (statusOf(row)?.lastError ?? '') !== '';

const stateOf = (row: Resource): ReactElement => {
  if (isFailing(row)) return <Badge tone="bad">{texts.failed}</Badge>;
  const isOff = specOf(row)?.enabled === false;
  return <Badge tone={isOff ? 'calm' : 'good'}>{isOff ? texts.off : texts.on}</Badge>;
};

const columns: readonly Column<Resource>[] = [
  { title: texts.name, cell: ({ metadata }) => metadata?.name, grow: 2 },
  { title: texts.namespace, cell: ({ metadata }) => metadata?.namespace, isMinor: true },
  { title: texts.state, cell: stateOf, rem: 6 },
  { title: texts.when, cell: (row) => whenText(specOf(row)), grow: 2, isMinor: true },
  { title: texts.target, cell: (row) => targetText(specOf(row)?.target), grow: 2, isMinor: true },
  { title: texts.last, cell: (row) => <Time at={statusOf(row)?.lastRunAt} />, rem: 8, isMinor: true },
  { title: texts.next, cell: (row) => <Time at={statusOf(row)?.nextRunAt} />, rem: 8 },
];

/** The schedules of a namespace, or of all. */
export const SchedulesPage = (): ReactElement => {
  const { ns = EVERYWHERE } = useParams({ strict: false });
  const { show } = useSearch({ from: '/ns/$ns/schedules' });
  const navigate = useNavigate();
  const found = useSchedules(ns);
  const all = found.data?.pages.flatMap(({ resources }) => resources) ?? [];
  const rows = show === 'failing' ? all.filter(isFailing) : all;
  const newPlace = addresses.newResource(ns === EVERYWHERE ? 'default' : ns, 'Schedule');
  return (
    <Page
      title={texts.title}
      isFilled
      filters={
        <Segments
          label={texts.show}
          value={show ?? 'all'}
          options={[
            { value: 'all', label: texts.all },
            { value: 'failing', label: texts.failing },
          ]}
          onChange={(next) =>
            void navigate({
              to: '.',
              search: (before) => ({ ...before, show: next === 'failing' ? next : undefined }),
              replace: true,
            })
          }
        />
      }
      actions={
        <>
          <Goto to={newPlace}>{texts.create}</Goto>
          <CopyMenu
            command={`svc get schedules ${ns === EVERYWHERE ? '-A' : `-n ${ns}`}`}
            path={`/v1/ns/${ns}/resources?kind=Schedule`}
          />
        </>
      }
    >
      <Listing
        found={found}
        count={rows.length}
        empty={
          <Empty icon="clock" title={show === 'failing' ? texts.noneFailing : texts.none}>
            {show !== 'failing' && (
              <>
                <p>{texts.noneLead}</p>
                <Goto to={newPlace}>{texts.create}</Goto>
                <code>svc explain schedule</code>
              </>
            )}
          </Empty>
        }
      >
        <Table
          label={texts.title}
          rows={rows}
          columns={columns}
          keyOf={({ metadata }) => metadata?.uid ?? ''}
          onOpen={({ metadata }) =>
            void navigate({ to: addresses.schedule(metadata?.namespace ?? '', metadata?.name ?? '') })
          }
          onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
        />
      </Listing>
    </Page>
  );
};
