import type { Resource } from '@svc/api/resources';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Segments } from '../../ui/segments.tsx';
import { ResourceEditor } from '../resources/editor/index.ts';
import {
  commandOf,
  DeleteResource,
  pathOf,
  phaseOf,
  ResourceOverview,
  toneOfPhase,
  useResource,
  yamlOf,
} from '../resources/index.ts';
import { ReplicasTab } from './replicas-tab.tsx';
import { SelectionTab } from './selection-tab.tsx';
import { texts } from './texts.ts';

const TABS = ['replicas', 'selection', 'yaml', 'overview'] as const;
type Tab = (typeof TABS)[number];

/** One deployment: its replicas, which namespaces it means, and its text. */
export const DeploymentPage = (): ReactElement => {
  const { ns = '', name = '' } = useParams({ strict: false });
  const { tab } = useSearch({ strict: false });
  const navigate = useNavigate();
  const address = { kind: 'Deployment', ns, name, parent: '' };
  const found = useResource(address);
  const shown = TABS.find((known) => known === tab) ?? 'replicas';
  const deployment = found.data;
  const phase = deployment === undefined ? '' : phaseOf(deployment);
  return (
    <Page
      title={name}
      isFilled={shown === 'yaml'}
      above={
        <Link to="/ns/$ns/deployments" params={{ ns }}>
          {texts.title}
        </Link>
      }
      badge={phase !== '' && <Badge tone={toneOfPhase(phase)}>{phase}</Badge>}
      actions={
        deployment && (
          <>
            <DeleteResource
              key={`${ns}/${name}`}
              address={address}
              resource={deployment}
              onDeleted={() => void navigate({ to: '/ns/$ns/deployments', params: { ns } })}
            />
            <CopyMenu command={commandOf(address)} path={pathOf(address)} yaml={() => yamlOf(deployment)} />
          </>
        )
      }
      filters={
        <Segments
          label={texts.tabs}
          value={shown}
          options={TABS.map((value) => ({ value, label: texts.tab[value] }))}
          onChange={(next) => void navigate({ to: '.', search: (before) => ({ ...before, tab: next }) })}
        />
      }
    >
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {deployment && <Content tab={shown} deployment={deployment} ns={ns} name={name} />}
    </Page>
  );
};

interface ContentProps {
  readonly tab: Tab;
  readonly deployment: Resource;
  readonly ns: string;
  readonly name: string;
}

const Content = ({ tab, deployment, ns, name }: ContentProps): ReactElement => {
  const address = { kind: 'Deployment', ns, name, parent: '' };
  if (tab === 'replicas') return <ReplicasTab deployment={deployment} />;
  if (tab === 'selection') return <SelectionTab deployment={deployment} ns={ns} />;
  if (tab === 'overview') return <ResourceOverview address={address} resource={deployment} />;
  return (
    <ResourceEditor
      key={`${ns} ${name}`}
      address={address}
      resource={deployment}
      onSaved={() => notify(texts.saved(name))}
    />
  );
};
