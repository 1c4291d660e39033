import { findKindFacts } from '@svc/api/kinds';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { PanelProps } from '../../app/panels/panel-table.ts';
import { usePanels } from '../../app/panels/use-panels.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Problem } from '../../ui/problem.tsx';
import { DeleteResource } from './delete-resource.tsx';
import { phaseOf, toneOfPhase } from './phase.ts';
import { addressOf, commandOf, pathOf, useResource } from './resource-data.ts';
import { ResourceOverview } from './resource-overview.tsx';
import styles from './resources.module.css';
import { texts } from './texts.ts';
import { yamlOf } from './yaml-of.ts';

/** One resource of any kind: how it is and what can be done with it. */
export const ResourcePanel = ({ panelKey }: PanelProps): ReactElement => {
  const address = addressOf(panelKey);
  const found = useResource(address);
  const { closeAll } = usePanels();
  const navigate = useNavigate();
  const resource = found.data;
  const show = (view: string | undefined): void => {
    const { ns, kind, name, parent } = address;
    void navigate({
      to: '/ns/$ns/resources/$kind/$name',
      params: { ns, kind, name },
      search: { view, parent: parent === '' ? undefined : parent },
    });
  };
  useKey({ keys: 'e', does: texts.edit, run: () => show('yaml') });
  if (found.error) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (resource === undefined) return <Loading />;
  const phase = phaseOf(resource);
  return (
    <div className={styles.stack}>
      <h2>{address.name}</h2>
      <div className={styles.actions}>
        {phase !== '' && <Badge tone={toneOfPhase(phase)}>{phase}</Badge>}
        <Button icon="right" onClick={() => show(undefined)}>
          {texts.open}
        </Button>
        <Button icon="edit" shortcut="e" onClick={() => show('yaml')}>
          {findKindFacts(address.kind)?.authorable === false ? texts.yaml : texts.edit}
        </Button>
        <DeleteResource address={address} resource={resource} onDeleted={closeAll} />
        <CopyMenu command={commandOf(address)} path={pathOf(address)} yaml={() => yamlOf(resource)} />
      </div>
      <ResourceOverview address={address} resource={resource} />
    </div>
  );
};
