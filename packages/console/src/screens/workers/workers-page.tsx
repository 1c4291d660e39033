import type { Resource, WorkerStatus } from '@svc/api/resources';
import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { useWrite } from '../../api/use-call.ts';
import { usePanels } from '../../app/panels/use-panels.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useEveryResource } from '../resources/index.ts';
import { texts } from './texts.ts';

const TONES: Readonly<Record<string, Tone>> = { ready: 'good', draining: 'warn', lost: 'bad' };

const statusOf = ({ status }: Resource): WorkerStatus | undefined =>
  status?.kind.case === 'worker' ? status.kind.value : undefined;

const columns: readonly Column<Resource>[] = [
  { title: texts.name, cell: ({ metadata }) => metadata?.name, grow: 2 },
  {
    title: texts.phase,
    cell: (worker) => {
      const phase = statusOf(worker)?.phase ?? '';
      return phase !== '' && <Badge tone={TONES[phase] ?? 'calm'}>{phase}</Badge>;
    },
  },
  { title: texts.version, cell: (worker) => statusOf(worker)?.version, isMinor: true },
  { title: texts.started, cell: (worker) => <Time at={statusOf(worker)?.startedAt} />, isMinor: true },
  { title: texts.sign, cell: (worker) => <Time at={statusOf(worker)?.heartbeatAt} /> },
  {
    title: texts.endpoints,
    cell: (worker) =>
      statusOf(worker)
        ?.endpoints.map(({ url }) => url)
        .join(' '),
    grow: 2,
    isMinor: true,
  },
];

const useDrain = (): UseMutationResult<unknown, Error, string> =>
  useWrite((client, name) => client.admin.drainWorker({ name }), {
    changes: { kinds: ['Worker'] },
    onDone: (_answer, name) => notify(`${texts.drained}: ${name}`),
  });

/** The processes that claim work, and how they are. */
export const WorkersPage = (): ReactElement => {
  const mayDrain = useCan()('admin', { isEverywhere: true });
  const { open } = usePanels();
  const found = useEveryResource('Worker', '-');
  const [asked, setAsked] = useState<string>();
  const draining = useDrain();
  const rows = found.data ?? [];
  const drain: Column<Resource> = {
    title: texts.drain,
    rem: 6,
    cell: (worker) => {
      const isOff = statusOf(worker)?.phase !== 'ready';
      return (
        <Button onClick={() => setAsked(worker.metadata?.name)} disabled={isOff} disabledReason={texts.alreadyDrains}>
          {texts.drain}
        </Button>
      );
    },
  };
  return (
    <Page
      title={texts.title}
      isFilled
      actions={<CopyMenu command="svc get worker -A" path="/v1/ns/-/resources?kind=Worker" />}
    >
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {draining.error && <Problem error={draining.error} />}
      {found.isSuccess && rows.length === 0 && (
        <Empty icon="server" title={texts.none}>
          <p>{texts.noneHint}</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label={texts.title}
          rows={rows}
          columns={mayDrain ? [...columns, drain] : columns}
          keyOf={({ metadata }) => metadata?.uid ?? ''}
          onOpen={({ metadata }) => open({ type: 'worker', key: metadata?.name ?? '' })}
        />
      )}
      {asked !== undefined && (
        <Confirm
          title={texts.drainTitle}
          action={texts.drain}
          onConfirm={() => draining.mutate(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            <b>{asked}</b>
          </p>
          <p>{texts.drainText}</p>
        </Confirm>
      )}
    </Page>
  );
};
