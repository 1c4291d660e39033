import type { Resource } from '@svc/api/resources';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { addresses, Goto } from '../../app/address.tsx';
import { EVERYWHERE } from '../../app/scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { channelOf, useChannels } from './channel-data.ts';
import { texts } from './texts.ts';

const columns: readonly Column<Resource>[] = [
  { title: texts.name, cell: ({ metadata }) => metadata?.name },
  { title: texts.channelTitle, cell: (row) => channelOf(row).title, grow: 2 },
  { title: texts.namespace, cell: ({ metadata }) => metadata?.namespace, isMinor: true },
  {
    title: texts.phase,
    cell: (row) => {
      const { phase } = channelOf(row);
      return <Badge tone={phase === 'closed' ? 'calm' : 'good'}>{phase || 'open'}</Badge>;
    },
    rem: 7,
  },
  { title: texts.updated, cell: (row) => <Time at={channelOf(row).updatedAt} />, rem: 9 },
];

/** The channels of a namespace, or of all. */
export const ChannelsPage = (): ReactElement => {
  const { ns = EVERYWHERE } = useParams({ strict: false });
  const navigate = useNavigate();
  const found = useChannels(ns);
  const rows = found.data?.pages.flatMap(({ resources }) => resources) ?? [];
  const newPlace = addresses.newResource(ns === EVERYWHERE ? 'default' : ns, 'Channel');
  return (
    <Page
      title={texts.title}
      isFilled
      actions={
        <>
          <Goto to={newPlace}>{texts.create}</Goto>
          <CopyMenu
            command={`svc get channels ${ns === EVERYWHERE ? '-A' : `-n ${ns}`}`}
            path={`/v1/ns/${ns}/resources?kind=Channel`}
          />
        </>
      }
    >
      <Listing
        found={found}
        count={rows.length}
        empty={
          <Empty icon="channel" title={texts.none}>
            <p>{texts.noneLead}</p>
            <Goto to={newPlace}>{texts.create}</Goto>
            <code>svc explain channel</code>
          </Empty>
        }
      >
        <Table
          label={texts.title}
          rows={rows}
          columns={columns}
          keyOf={({ metadata }) => metadata?.uid ?? ''}
          onOpen={({ metadata }) =>
            void navigate({ to: addresses.channel(metadata?.namespace ?? '', metadata?.name ?? '') })
          }
          onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
        />
      </Listing>
    </Page>
  );
};
