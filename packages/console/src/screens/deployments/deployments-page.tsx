import type { Resource } from '@svc/api/resources';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { EVERYWHERE } from '../../app/scope.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { phaseOf, toneOfPhase, useResources } from '../resources/index.ts';
import { deploymentSpec, deploymentStatus } from './deployments-data.ts';
import { texts } from './texts.ts';

/** Every deployment of a namespace, with its replicas by state. */
export const DeploymentsPage = (): ReactElement => {
  const { ns = EVERYWHERE } = useParams({ strict: false });
  const navigate = useNavigate();
  const found = useResources('Deployment', ns);
  const mayCreate = useCan()('admin', ns === EVERYWHERE ? {} : { ns });
  const create = (): void =>
    void navigate({ to: '/ns/$ns/new/$kind', params: { ns: ns === EVERYWHERE ? 'default' : ns, kind: 'Deployment' } });
  useKey({ keys: 'c', does: texts.create, run: create }, mayCreate);
  const rows = found.data?.pages.flatMap(({ resources }) => resources) ?? [];
  return (
    <Page
      title={texts.title}
      isFilled
      actions={
        <>
          {mayCreate && (
            <Button kind="primary" icon="plus" shortcut="c" onClick={create}>
              {texts.create}
            </Button>
          )}
          <CopyMenu
            command={`svc get deployments${ns === EVERYWHERE ? ' -A' : ` -n ${ns}`}`}
            path={`/v1/ns/${ns}/resources?kind=Deployment`}
          />
        </>
      }
    >
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.isSuccess && rows.length === 0 && (
        <Empty icon="layers" title={texts.none}>
          <p>{texts.howToGet}</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label={texts.title}
          rows={rows}
          columns={columns}
          keyOf={({ metadata }) => metadata?.uid ?? ''}
          onOpen={({ metadata }) =>
            void navigate({
              to: '/ns/$ns/deployments/$name',
              params: { ns: metadata?.namespace ?? '', name: metadata?.name ?? '' },
            })
          }
          onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
        />
      )}
    </Page>
  );
};

const columns: readonly Column<Resource>[] = [
  { title: texts.name, cell: ({ metadata }) => metadata?.name, grow: 2 },
  { title: texts.namespace, cell: ({ metadata }) => metadata?.namespace, isMinor: true },
  { title: texts.templates, cell: (each) => deploymentSpec(each)?.templates.join(', '), grow: 2, isMinor: true },
  {
    title: texts.ready,
    cell: (each) => {
      const { ready = 0n, desired = 0n } = deploymentStatus(each)?.replicaCounts ?? {};
      return `${ready} / ${desired}`;
    },
    rem: 6,
    isNumber: true,
  },
  {
    title: texts.degraded,
    cell: (each) => String(deploymentStatus(each)?.replicaCounts?.degraded ?? 0n),
    rem: 6,
    isNumber: true,
    isMinor: true,
  },
  {
    title: texts.phase,
    cell: (each) => phaseOf(each) !== '' && <Badge tone={toneOfPhase(phaseOf(each))}>{phaseOf(each)}</Badge>,
    rem: 8,
  },
];
