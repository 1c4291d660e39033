import type { Resource } from '@svc/api/resources';
import type { ReactElement } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { ResourceLink } from '../resources/index.ts';
import styles from './deployments.module.css';
import { deploymentSpec, useCandidates, useTemplateNames } from './deployments-data.ts';
import { selectionOf, unfitLabels } from './selection.ts';
import { texts } from './texts.ts';

/** Which namespaces the selector fits, and why the others are left out; and the templates that go there. */
export const SelectionTab = ({
  deployment,
  ns,
}: {
  readonly deployment: Resource;
  readonly ns: string;
}): ReactElement | null => {
  const spec = deploymentSpec(deployment);
  if (spec === undefined) return null;
  return (
    <div className={styles.stack}>
      <Candidates deployment={deployment} ns={ns} />
      <Section title={texts.templates}>
        <Templates names={spec.templates} ns={ns} />
      </Section>
    </div>
  );
};

const Candidates = ({ deployment, ns }: { readonly deployment: Resource; readonly ns: string }): ReactElement => {
  const selection = selectionOf(deploymentSpec(deployment) ?? {}, ns);
  const found = useCandidates(selection);
  const wanted = Object.entries(selection.labels).map(([key, value]) => `${key}=${value}`);
  return (
    <Section title={texts.selection}>
      <p className={styles.soft}>
        {texts.selectionOf(selection.parent)}. {wanted.length === 0 ? texts.everyChild : wanted.join(', ')}
      </p>
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.data?.length === 0 && <p className={styles.soft}>{texts.noChildren}</p>}
      <ul className={styles.rows}>
        {found.data?.map((namespace) => {
          const unfit = unfitLabels(namespace, selection);
          const name = namespace.metadata?.name ?? '';
          return (
            <li key={name}>
              <ResourceLink address={{ kind: 'Namespace', ns: name, name, parent: '' }}>{name}</ResourceLink>
              <Badge tone={unfit.length === 0 ? 'good' : 'calm'}>
                {unfit.length === 0 ? texts.fits : texts.fitsNot}
              </Badge>
              <span className={styles.soft}>{unfit.join(', ')}</span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
};

const Templates = ({ names, ns }: { readonly names: readonly string[]; readonly ns: string }): ReactElement => {
  const found = useTemplateNames(ns);
  return (
    <>
      {found.error && <Problem error={found.error} />}
      <ul className={styles.rows}>
        {names.map((name) => (
          <li key={name}>
            <ResourceLink address={{ kind: 'Template', ns, name, parent: '' }}>{name}</ResourceLink>
            {found.data && !found.data.has(name) && <Badge tone="bad">{texts.templateMissing}</Badge>}
          </li>
        ))}
      </ul>
    </>
  );
};
