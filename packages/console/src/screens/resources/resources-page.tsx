import { findKindFacts, kindFacts } from '@svc/api/kinds';
import type { Resource } from '@svc/api/resources';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { usePanels } from '../../app/panels/use-panels.ts';
import { EVERYWHERE } from '../../app/scope.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Page } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { badConditions } from './conditions.ts';
import { createdAt } from './created-at.ts';
import { phaseOf, toneOfPhase } from './phase.ts';
import { addressOfResource, addressText, useResources } from './resource-data.ts';
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
    rem: 8,
  },
  { title: texts.reason, cell: (resource) => whatIsWrong(resource), grow: 2, isMinor: true },
  { title: texts.created, cell: ({ metadata }) => <Time at={createdAt(metadata?.uid)} />, rem: 8, isMinor: true },
];

/** Every resource of a kind in a namespace. */
export const ResourcesPage = (): ReactElement => {
  const { ns = '', kind = '' } = useParams({ strict: false });
  const { selector = '', phase = '', recursive } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { open, stack } = usePanels();
  const found = useResources(kind, scopeOf(kind, ns), {
    labelSelector: selector,
    recursive: recursive === 'true' && ns !== EVERYWHERE,
  });
  const all = found.data?.pages.flatMap(({ resources }) => resources) ?? [];
  const rows = phase === '' ? all : all.filter((resource) => phaseOf(resource) === phase);
  const create = (): void =>
    void navigate({ to: '/ns/$ns/new/$kind', params: { ns: ns === EVERYWHERE ? 'default' : ns, kind } });
  const mayCreate = useCan()('admin', ns === EVERYWHERE ? {} : { ns }) && findKindFacts(kind)?.authorable === true;
  useKey({ keys: 'c', does: texts.newOne(kind), run: create }, mayCreate);
  const actions = (
    <>
      {mayCreate && (
        <Button kind="primary" icon="plus" shortcut="c" onClick={create}>
          {texts.newOne(kind)}
        </Button>
      )}
      <CopyMenu
        command={`svc get ${kind.toLowerCase()}${ns === EVERYWHERE ? ' -A' : ` -n ${ns}`}`}
        path={`/v1/ns/${ns}/resources?kind=${kind}`}
      />
    </>
  );
  return (
    <Page
      title={kind}
      isFilled
      filters={<Filters kind={kind} ns={ns} phases={phaseOptions(all, phase)} />}
      actions={actions}
    >
      <Listing
        found={found}
        count={rows.length}
        empty={
          <Empty title={all.length === 0 && selector === '' ? texts.none : texts.noneFiltered}>
            {mayCreate && <p>{texts.howToGet(kind)}</p>}
          </Empty>
        }
      >
        <Table
          label={kind}
          rows={rows}
          columns={columns}
          keyOf={({ metadata }) => metadata?.uid ?? ''}
          openKey={rows.find((row) => addressText(addressOfResource(row)) === stack.at(-1)?.key)?.metadata?.uid}
          onOpen={(row) => open({ type: 'resource', key: addressText(addressOfResource(row)) })}
          onEnd={found.hasNextPage ? () => void found.fetchNextPage() : undefined}
        />
      </Listing>
    </Page>
  );
};

interface FiltersProps {
  readonly kind: string;
  readonly ns: string;
  readonly phases: readonly { readonly value: string; readonly label: string }[];
}

const Filters = ({ kind, ns, phases }: FiltersProps): ReactElement => {
  const { selector = '', phase = '', recursive } = useSearch({ strict: false });
  const navigate = useNavigate();
  const search = (change: Readonly<Record<string, string | undefined>>): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <SelectField
        label={texts.kind}
        value={kind}
        options={kindFacts.map((facts) => ({ value: facts.kind, label: facts.kind }))}
        onChange={(next) => void navigate({ to: '/ns/$ns/resources/$kind', params: { ns, kind: next } })}
      />
      <SelectField label={texts.phase} value={phase} options={phases} onChange={(next) => search({ phase: next })} />
      <TextField
        label={texts.selector}
        placeholder={texts.selectorHint}
        value={selector}
        onChange={(next) => search({ selector: next })}
      />
      {ns !== EVERYWHERE && findKindFacts(kind)?.scope !== 'root' && (
        <Checkbox
          label={texts.recursive}
          checked={recursive === 'true'}
          onChange={(isOn) => search({ recursive: isOn ? 'true' : undefined })}
        />
      )}
    </>
  );
};

/** Where resources of a kind are listed: those of the root and those with a home of their own are the same everywhere. */
const scopeOf = (kind: string, ns: string): string => {
  const facts = findKindFacts(kind);
  return facts?.scope === 'root' ? EVERYWHERE : (facts?.home ?? ns);
};

const whatIsWrong = (resource: Resource): string => {
  const [first] = badConditions(resource);
  return first === undefined ? '' : [first.reason, first.message].filter(Boolean).join(': ');
};

const phaseOptions = (
  rows: readonly Resource[],
  chosen: string,
): readonly { readonly value: string; readonly label: string }[] => {
  const phases = new Set([...rows.map(phaseOf), chosen].filter((phase) => phase !== ''));
  const known = Array.from(phases).sort();
  return [{ value: '', label: texts.anyPhase }, ...known.map((value) => ({ value, label: value }))];
};
