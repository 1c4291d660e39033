import { kindFacts } from '@svc/api/kinds';
import type { Resource } from '@svc/api/resources';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { usePanels } from '../../app/panels/use-panels.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { phaseOf, toneOfPhase } from './phase.ts';
import { addressText, useResources } from './resource-data.ts';
import { texts } from './texts.ts';

const columns: readonly Column<Resource>[] = [
  { title: texts.name, cell: ({ metadata }) => metadata?.name, grow: 2 },
  { title: texts.namespace, cell: ({ metadata }) => metadata?.namespace, isMinor: true },
  {
    title: texts.phase,
    cell: (resource) => {
      const phase = phaseOf(resource);
      return phase !== '' && <Badge tone={toneOfPhase(phase)}>{phase}</Badge>;
    },
  },
  {
    title: texts.generation,
    cell: ({ metadata }) => String(metadata?.generation ?? ''),
    rem: 7,
    isNumber: true,
    isMinor: true,
  },
];

/** Every resource of a kind in a namespace. */
export const ResourcesPage = (): ReactElement => {
  const { ns = '', kind = '' } = useParams({ strict: false });
  const { selector = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { open, stack } = usePanels();
  const found = useResources(kind, ns, selector);
  const rows = found.data?.pages.flatMap(({ resources }) => resources) ?? [];
  const filters = (
    <>
      <SelectField
        label={texts.kind}
        value={kind}
        options={kindFacts.map((facts) => ({ value: facts.kind, label: facts.kind }))}
        onChange={(next) => void navigate({ to: '/ns/$ns/resources/$kind', params: { ns, kind: next } })}
      />
      <TextField
        label={texts.selector}
        placeholder={texts.selectorHint}
        value={selector}
        onChange={(next) =>
          void navigate({ to: '.', search: (before) => ({ ...before, selector: next }), replace: true })
        }
      />
    </>
  );
  return (
    <Page title={kind} isFilled filters={filters}>
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && rows.length === 0 && <Empty title={texts.none} />}
      {rows.length > 0 && (
        <Table
          label={kind}
          rows={rows}
          columns={columns}
          keyOf={({ metadata }) => metadata?.uid ?? ''}
          openKey={rows.find((row) => keyOfRow(row) === stack.at(-1)?.key)?.metadata?.uid}
          onOpen={(row) => open({ type: 'resource', key: keyOfRow(row) })}
          onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
        />
      )}
    </Page>
  );
};

const keyOfRow = ({ kind, metadata }: Resource): string =>
  addressText({ kind, ns: metadata?.namespace ?? '', name: metadata?.name ?? '', parent: '' });
