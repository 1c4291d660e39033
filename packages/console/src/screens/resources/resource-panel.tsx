import type { ReactElement } from 'react';
import type { PanelProps } from '../../app/panels/panel-table.ts';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { phaseOf, toneOfPhase } from './phase.ts';
import { addressOf, useResource } from './resource-data.ts';
import { texts } from './texts.ts';

/** One resource of any kind: what it is, how it is, and what it says. */
export const ResourcePanel = ({ panelKey }: PanelProps): ReactElement => {
  const address = addressOf(panelKey);
  const found = useResource(address);
  const resource = found.data;
  if (found.error) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (resource === undefined) return <Loading />;
  const phase = phaseOf(resource);
  return (
    <>
      <h2>{address.name}</h2>
      {phase !== '' && <Badge tone={toneOfPhase(phase)}>{phase}</Badge>}
      <Facts
        rows={[
          [texts.kind, resource.kind],
          [texts.namespace, resource.metadata?.namespace],
          [texts.uid, resource.metadata?.uid],
          [texts.generation, String(resource.metadata?.generation ?? '')],
        ]}
      />
      <Section title={texts.spec}>
        <JsonView value={resource.spec?.kind.value} />
      </Section>
    </>
  );
};
