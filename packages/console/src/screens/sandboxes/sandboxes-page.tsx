import type { Resource } from '@svc/api/resources';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { usePanels } from '../../app/panels/use-panels.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { phaseOf, toneOfPhase, useResources } from '../resources/index.ts';
import { classOf, policyOf, sandboxStatusOf } from './sandbox-facts.ts';
import { texts } from './texts.ts';

const name: Column<Resource> = { title: texts.name, cell: ({ metadata }) => metadata?.name, grow: 2 };
const namespace: Column<Resource> = {
  title: texts.namespace,
  cell: ({ metadata }) => metadata?.namespace,
  isMinor: true,
};
const phase: Column<Resource> = {
  title: texts.phase,
  cell: (resource) => phaseOf(resource) && <Badge tone={toneOfPhase(phaseOf(resource))}>{phaseOf(resource)}</Badge>,
};

interface View {
  readonly kind: string;
  readonly columns: readonly Column<Resource>[];
  readonly none: string;
  readonly hint: string;
  /** Text of the button that makes a new one; '' where only the runtime makes them. */
  readonly make: string;
}

const VIEWS: Readonly<Record<'sandboxes' | 'policies' | 'classes', View>> = {
  sandboxes: {
    kind: 'Sandbox',
    none: texts.none,
    hint: texts.noneHint,
    make: '',
    columns: [
      name,
      namespace,
      phase,
      {
        title: texts.holder,
        cell: (resource) => {
          const lease = sandboxStatusOf(resource)?.lease;
          return lease && `${lease.ownerAgent} ${lease.ownerSessionId.slice(-12)}`;
        },
        grow: 2,
        isMinor: true,
      },
      { title: texts.heldUntil, cell: (resource) => <Time at={sandboxStatusOf(resource)?.lease?.expiresAt} /> },
      {
        title: texts.processes,
        cell: (resource) => sandboxStatusOf(resource)?.processes.length ?? 0,
        rem: 6,
        isNumber: true,
      },
    ],
  },
  policies: {
    kind: 'SandboxPolicy',
    none: texts.noPolicies,
    hint: texts.noPoliciesHint,
    make: texts.newPolicy,
    columns: [
      name,
      namespace,
      phase,
      { title: texts.classes, cell: (resource) => policyOf(resource)?.classRef?.name },
      { title: texts.image, cell: (resource) => policyOf(resource)?.template?.image, isMinor: true },
      { title: texts.network, cell: (resource) => policyOf(resource)?.template?.network?.mode || 'restricted' },
      {
        title: texts.atOnce,
        cell: (resource) => policyOf(resource)?.maxConcurrent || texts.unlimited,
        isNumber: true,
        isMinor: true,
      },
    ],
  },
  classes: {
    kind: 'SandboxClass',
    none: texts.noClasses,
    hint: texts.noClassesHint,
    make: texts.newClass,
    columns: [name, namespace, phase, { title: texts.provider, cell: (resource) => classOf(resource)?.provider }],
  },
};

const SHOWN = (['sandboxes', 'policies', 'classes'] as const).map((value) => ({ value, label: texts[value] }));

/** Sandboxes with who holds them; their policies and classes. */
export const SandboxesPage = (): ReactElement => {
  const { ns = '' } = useParams({ strict: false });
  const { show } = useSearch({ strict: false });
  const shown = SHOWN.find(({ value }) => value === show)?.value ?? 'sandboxes';
  const { kind, columns, none, hint, make } = VIEWS[shown];
  const navigate = useNavigate();
  const { open } = usePanels();
  const mayWrite = useCan()('admin', ns === '-' ? {} : { ns });
  const found = useResources(kind, ns);
  const rows = found.data?.pages.flatMap(({ resources }) => resources) ?? [];
  return (
    <Page
      title={texts.title}
      isFilled
      actions={
        <>
          <CopyMenu command={`svc get ${kind.toLowerCase()} -n ${ns}`} path={`/v1/ns/${ns}/resources?kind=${kind}`} />
          {mayWrite && make !== '' && ns !== '-' && (
            <Button icon="plus" onClick={() => void navigate({ to: '/ns/$ns/new/$kind', params: { ns, kind } })}>
              {make}
            </Button>
          )}
        </>
      }
      filters={
        <Segments
          label={texts.show}
          value={shown}
          options={SHOWN}
          onChange={(next) => void navigate({ to: '.', search: (before) => ({ ...before, show: next }) })}
        />
      }
    >
      <Listing
        found={found}
        count={rows.length}
        empty={
          <Empty title={none}>
            <p>{hint}</p>
            {make !== '' && <code>{`svc apply -f ${kind.toLowerCase()}.yaml`}</code>}
          </Empty>
        }
      >
        <Table
          key={kind}
          label={texts[shown]}
          rows={rows}
          columns={columns}
          keyOf={({ metadata }) => metadata?.uid ?? ''}
          onOpen={({ metadata }) => {
            const { name: own = '', namespace: home = '' } = metadata ?? {};
            if (kind === 'Sandbox') open({ type: 'sandbox', key: `${home}/${own}` });
            else void navigate({ to: '/ns/$ns/resources/$kind/$name', params: { ns: home, kind, name: own } });
          }}
          onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
        />
      </Listing>
    </Page>
  );
};
