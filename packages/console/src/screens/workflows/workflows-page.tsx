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
import { Listing } from '../../ui/listing.tsx';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { phaseOf, toneOfPhase, useResources } from '../resources/index.ts';
import { texts } from './texts.ts';

const specOf = ({ spec }: Resource) => (spec?.kind.case === 'workflow' ? spec.kind.value : undefined);

const columns: readonly Column<Resource>[] = [
  { title: texts.name, cell: ({ metadata }) => metadata?.name, grow: 2 },
  { title: texts.namespace, cell: ({ metadata }) => metadata?.namespace, isMinor: true },
  {
    title: texts.phase,
    cell: (resource) => phaseOf(resource) && <Badge tone={toneOfPhase(phaseOf(resource))}>{phaseOf(resource)}</Badge>,
  },
  { title: texts.steps, cell: (resource) => specOf(resource)?.steps.length ?? 0, rem: 5, isNumber: true },
  { title: texts.about, cell: (resource) => specOf(resource)?.description, grow: 3, isMinor: true },
];

/** Every workflow of a namespace. */
export const WorkflowsPage = (): ReactElement => {
  const { ns = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const can = useCan();
  const found = useResources('Workflow', ns);
  const rows = found.data?.pages.flatMap(({ resources }) => resources) ?? [];
  const mayWrite = can('admin', ns === EVERYWHERE ? {} : { ns });
  const begin = (): void =>
    void navigate({ to: '/ns/$ns/workflows/~new', params: { ns: ns === EVERYWHERE ? 'default' : ns } });
  useKey({ keys: 'n', does: texts.newWorkflow, run: begin }, mayWrite);
  const newButton = mayWrite && (
    <Button kind="primary" icon="plus" onClick={begin} shortcut="n">
      {texts.newWorkflow}
    </Button>
  );
  return (
    <Page
      title={texts.title}
      isFilled
      actions={
        <>
          <CopyMenu command={`svc get workflow -n ${ns}`} path={`/v1/ns/${ns}/resources?kind=Workflow`} />
          {newButton}
        </>
      }
    >
      <Listing
        found={found}
        count={rows.length}
        empty={
          <Empty icon="flow" title={texts.none}>
            <p>{texts.noneHint}</p>
            <code>{texts.noneCommand}</code>
            {newButton}
          </Empty>
        }
      >
        <Table
          label={texts.title}
          rows={rows}
          columns={columns}
          keyOf={({ metadata }) => metadata?.uid ?? ''}
          onOpen={({ metadata }) =>
            void navigate({
              to: '/ns/$ns/workflows/$name',
              params: { ns: metadata?.namespace ?? '', name: metadata?.name ?? '' },
            })
          }
          onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
        />
      </Listing>
    </Page>
  );
};
