import { findKindFacts } from '@svc/api/kinds';
import type { Resource } from '@svc/api/resources';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Segments } from '../../ui/segments.tsx';
import { DeleteResource } from './delete-resource.tsx';
import { ResourceEditor } from './editor/index.ts';
import { phaseOf, toneOfPhase } from './phase.ts';
import { commandOf, pathOf, type ResourceAddress, useResource } from './resource-data.ts';
import { ResourceOverview } from './resource-overview.tsx';
import { texts } from './texts.ts';
import { yamlOf } from './yaml-of.ts';

const VIEWS = ['overview', 'yaml'] as const;

/** One resource of any kind: how it is, and its text to change it. */
export const ResourcePage = (): ReactElement => {
  const { ns = '', kind = '', name = '' } = useParams({ strict: false });
  const { view, parent = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const address: ResourceAddress = { ns, kind, name, parent };
  const found = useResource(address);
  const resource = found.data;
  const shown = VIEWS.find((known) => known === view) ?? 'overview';
  const toList = (): void => void navigate({ to: '/ns/$ns/resources/$kind', params: { ns, kind } });
  const phase = resource === undefined ? '' : phaseOf(resource);
  return (
    <Page
      title={name}
      isFilled={shown === 'yaml'}
      above={
        <Link to="/ns/$ns/resources/$kind" params={{ ns, kind }}>
          {kind}
        </Link>
      }
      badge={phase !== '' && <Badge tone={toneOfPhase(phase)}>{phase}</Badge>}
      actions={
        resource && (
          <>
            <DeleteResource key={`${kind} ${ns}/${name}`} address={address} resource={resource} onDeleted={toList} />
            <CopyMenu command={commandOf(address)} path={pathOf(address)} yaml={() => yamlOf(resource)} />
          </>
        )
      }
      filters={
        <Segments
          label={texts.view}
          value={shown}
          options={VIEWS.map((value) => ({ value, label: texts[value] }))}
          onChange={(next) => void navigate({ to: '.', search: (before) => ({ ...before, view: next }) })}
        />
      }
    >
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {resource && shown === 'overview' && <ResourceOverview address={address} resource={resource} />}
      {resource && shown === 'yaml' && findKindFacts(kind)?.authorable !== false && (
        <ResourceEditor
          key={`${kind} ${ns} ${name}`}
          address={address}
          resource={resource}
          note={kind === 'Secret' && texts.secretLead}
          onSaved={() => {
            notify(texts.saved(name));
            void navigate({ to: '.', search: (before) => ({ ...before, view: undefined }) });
          }}
        />
      )}
      {resource && shown === 'yaml' && findKindFacts(kind)?.authorable === false && (
        <ReadOnlyYaml resource={resource} label={texts.yamlOf(kind, name)} />
      )}
    </Page>
  );
};

/** The text of what only the system writes. */
const ReadOnlyYaml = ({ resource, label }: { readonly resource: Resource; readonly label: string }): ReactElement => {
  const { uid, resourceVersion } = resource.metadata ?? {};
  const text = useQuery({ queryKey: ['yaml', uid, resourceVersion], queryFn: () => yamlOf(resource) });
  return text.data === undefined ? (
    <Loading />
  ) : (
    <CodeEditor label={label} language="yaml" value={text.data} isFilled />
  );
};
