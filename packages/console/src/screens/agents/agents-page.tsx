import type { Resource } from '@svc/api/resources';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { EVERYWHERE } from '../../app/scope.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { phaseOf, toneOfPhase, useResources } from '../resources/index.ts';
import { useSessionCounts } from './agents-data.ts';
import { countKey, type SessionCount } from './session-counts.ts';
import { texts } from './texts.ts';

/** Every agent of a namespace: its model, how much it is talked to, and whether it is fine. */
export const AgentsPage = (): ReactElement => {
  const { ns = EVERYWHERE } = useParams({ strict: false });
  const { find = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useResources('Agent', ns);
  const counts = useSessionCounts(ns);
  const mayCreate = useCan()('admin', ns === EVERYWHERE ? {} : { ns });
  const create = (): void =>
    void navigate({
      to: '/ns/$ns/new/$kind',
      params: { ns: ns === EVERYWHERE ? 'default' : ns, kind: 'Agent' },
    });
  useKey({ keys: 'c', does: texts.create, run: create }, mayCreate);
  const all = found.data?.pages.flatMap(({ resources }) => resources) ?? [];
  const rows = all.filter(({ metadata }) => metadata?.name.includes(find));
  return (
    <Page
      title={texts.title}
      isFilled
      filters={
        <TextField
          label={texts.find}
          type="search"
          value={find}
          onChange={(next) =>
            void navigate({ to: '.', search: (before) => ({ ...before, find: next }), replace: true })
          }
        />
      }
      actions={
        <>
          {mayCreate && (
            <Button kind="primary" icon="plus" shortcut="c" onClick={create}>
              {texts.create}
            </Button>
          )}
          <CopyMenu
            command={`svc get agents${ns === EVERYWHERE ? ' -A' : ` -n ${ns}`}`}
            path={`/v1/ns/${ns}/resources?kind=Agent`}
          />
        </>
      }
    >
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {counts.error && <Problem error={counts.error} onRetry={() => void counts.refetch()} />}
      {found.isPending && <Loading />}
      {found.isSuccess && rows.length === 0 && (
        <Empty icon="agent" title={all.length === 0 ? texts.none : texts.noneFound}>
          {all.length === 0 && <p>{texts.howToGet}</p>}
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label={texts.title}
          rows={rows}
          columns={columns(counts.data ?? new Map())}
          keyOf={({ metadata }) => metadata?.uid ?? ''}
          onOpen={({ metadata }) =>
            void navigate({
              to: '/ns/$ns/agents/$name',
              params: { ns: metadata?.namespace ?? '', name: metadata?.name ?? '' },
            })
          }
          onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
        />
      )}
    </Page>
  );
};

const columns = (counts: ReadonlyMap<string, SessionCount>): readonly Column<Resource>[] => {
  const countOf = ({ metadata }: Resource): SessionCount | undefined =>
    counts.get(countKey(metadata?.namespace ?? '', metadata?.name ?? ''));
  return [
    { title: texts.name, cell: ({ metadata }) => metadata?.name, grow: 2 },
    { title: texts.namespace, cell: ({ metadata }) => metadata?.namespace, isMinor: true },
    { title: texts.model, cell: modelOf, isMinor: true },
    { title: texts.sessions, cell: (agent) => countOf(agent)?.count ?? 0, rem: 6, isNumber: true, isMinor: true },
    { title: texts.lastActive, cell: (agent) => <Time at={countOf(agent)?.lastActive} />, rem: 8 },
    {
      title: texts.phase,
      cell: (agent) => <Badge tone={toneOfPhase(phaseOf(agent))}>{phaseOf(agent)}</Badge>,
      rem: 8,
    },
  ];
};

/** The model that answers first. */
const modelOf = ({ spec }: Resource): string => {
  if (spec?.kind.case !== 'agent') return '';
  const profiles = spec.kind.value.modelPolicy?.profiles ?? [];
  const { model } = profiles.find(({ name }) => name === 'default') ?? profiles[0] ?? {};
  if (model === undefined) return texts.standardModel;
  return [model.provider, model.name].filter(Boolean).join('/');
};
