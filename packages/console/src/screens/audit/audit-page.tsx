import type { AuditRecord } from '@svc/api/gateway';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { usePanels } from '../../app/panels/use-panels.ts';
import { useLiveEvents } from '../../live/live-context.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { DRY_RUN, shownRecords, useAuditRecords } from './audit-data.ts';
import type { AuditSearch } from './index.ts';
import { texts } from './texts.ts';

const toneOf = (outcome: string): Tone => {
  if (outcome === 'ok' || outcome === 'OK') return 'good';
  return outcome === DRY_RUN ? 'calm' : 'bad';
};

const columns: readonly Column<AuditRecord>[] = [
  { title: texts.time, cell: ({ time }) => <Time at={time} />, rem: 7 },
  { title: texts.identity, cell: ({ identity }) => identity },
  { title: texts.operation, cell: ({ operation }) => operation.split('/').at(-1) },
  { title: texts.target, cell: ({ target }) => target, grow: 2, isMinor: true },
  { title: texts.outcome, cell: ({ outcome }) => <Badge tone={toneOf(outcome)}>{outcome}</Badge>, rem: 9 },
];

/** Rows that may all be in sight at once. */
const FEW = 100;

/** Who changed what, newest first. */
export const AuditPage = (): ReactElement => {
  const { ns = '-' } = useParams({ strict: false });
  const { identity = '', operation = '', since = '', until = '', dryRuns } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { open, stack } = usePanels();
  const found = useAuditRecords({ ns, identity, operation, since, until });
  // Most records are about resources, whose changes are live; the others wait for the button.
  useLiveEvents('resource', () => void found.refetch());
  const rows = shownRecords(found.data?.pages ?? [], dryRuns !== 'shown');
  const change = (part: AuditSearch): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...part }), replace: true });
  const filter = (name: 'identity' | 'operation' | 'since' | 'until') => (value: string) =>
    change({ [name]: value || undefined });
  const top = stack.at(-1);
  return (
    <Page
      title={texts.title}
      isFilled
      actions={
        <>
          <IconButton label={texts.again} icon="retry" onClick={() => void found.refetch()} />
          <CopyMenu command={`svc events --audit${ns === '-' ? '' : ` -n ${ns}`}`} path="/v1/auth/audit" />
        </>
      }
      filters={
        <>
          <TextField label={texts.identity} value={identity} onChange={filter('identity')} />
          <TextField
            label={texts.operation}
            placeholder={texts.operationHint}
            value={operation}
            onChange={filter('operation')}
          />
          <TextField label={texts.since} type="datetime-local" value={since} onChange={filter('since')} />
          <TextField label={texts.until} type="datetime-local" value={until} onChange={filter('until')} />
          <Checkbox
            label={texts.hideDryRuns}
            checked={dryRuns !== 'shown'}
            onChange={(isHidden) => change({ dryRuns: isHidden ? undefined : 'shown' })}
          />
        </>
      }
    >
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && rows.length === 0 && !found.hasNextPage && (
        <Empty icon="list" title={texts.none}>
          <p>{texts.noneHint}</p>
        </Empty>
      )}
      {rows.length === 0 && found.hasNextPage && (
        <Empty icon="list" title={texts.onlyDryRuns}>
          <p>{texts.onlyDryRunsHint}</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label={texts.title}
          rows={rows}
          columns={columns}
          keyOf={({ id }) => id}
          openKey={top?.type === 'audit-record' ? top.key.split(' ')[1] : undefined}
          onOpen={({ id }) => open({ type: 'audit-record', key: `${ns} ${id}` })}
          onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
        />
      )}
      {/* A page of dry runs adds no row, and a table that stays as it is does not ask for the next one. */}
      {rows.length < FEW && found.hasNextPage && (
        <p>
          <Button isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            {texts.further}
          </Button>
        </p>
      )}
    </Page>
  );
};
