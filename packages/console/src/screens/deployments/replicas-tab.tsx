import type { JsonObject } from '@bufbuild/protobuf';
import type { Resource } from '@svc/api/resources';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { DiffView } from '../../ui/diff-view.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { badConditions, phaseOf, ResourceLink, toneOfPhase, yamlText } from '../resources/index.ts';
import { isSameJson } from '../resources/manifest/index.ts';
import styles from './deployments.module.css';
import { replicaStatus, targetOf, useLive, useReplicas } from './deployments-data.ts';
import { spokenOf } from './rendered.ts';
import { texts } from './texts.ts';

/** The replicas with their state, and of one what was rendered against what is there. */
export const ReplicasTab = ({ deployment }: { readonly deployment: Resource }): ReactElement => {
  const { replica } = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useReplicas(deployment);
  const chosen = found.data?.find((each) => targetOf(each) === replica);
  return (
    <div className={styles.stack}>
      <Section title={texts.replicas}>
        {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
        {found.isPending && <Loading />}
        {found.data?.length === 0 && <p className={styles.soft}>{texts.noReplicas}</p>}
        {found.data && found.data.length > 0 && (
          <div className={styles.scroll}>
            <table className={styles.table}>
              <thead>
                <tr>
                  <th>{texts.target}</th>
                  <th>{texts.phase}</th>
                  <th>{texts.rendered}</th>
                  <th>{texts.conflicts}</th>
                  <th>{texts.reason}</th>
                </tr>
              </thead>
              <tbody>
                {found.data.map((each) => (
                  <Row
                    key={each.metadata?.uid}
                    replica={each}
                    isOpen={each === chosen}
                    onOpen={() =>
                      void navigate({ to: '.', search: (before) => ({ ...before, replica: targetOf(each) }) })
                    }
                  />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Section>
      {found.data && found.data.length > 0 && chosen === undefined && (
        <p className={styles.soft}>{texts.chooseReplica}</p>
      )}
      {chosen && <Replica key={chosen.metadata?.uid} replica={chosen} />}
    </div>
  );
};

interface RowProps {
  readonly replica: Resource;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

const Row = ({ replica, isOpen, onOpen }: RowProps): ReactElement => {
  const { renderedResources = [], conflicts = [] } = replicaStatus(replica) ?? {};
  const [fault] = badConditions(replica);
  const phase = phaseOf(replica);
  return (
    <tr className={isOpen ? styles.open : undefined}>
      <td>
        <button type="button" className={styles.link} aria-expanded={isOpen} onClick={onOpen}>
          {targetOf(replica)}
        </button>
      </td>
      <td>{phase !== '' && <Badge tone={toneOfPhase(phase)}>{phase}</Badge>}</td>
      <td>{renderedResources.length}</td>
      <td>{conflicts.length}</td>
      <td>{fault && [fault.reason, fault.message].filter(Boolean).join(': ')}</td>
    </tr>
  );
};

const Replica = ({ replica }: { readonly replica: Resource }): ReactElement => {
  const { conflicts = [], lastRenderedJson = {} } = replicaStatus(replica) ?? {};
  const names = Object.keys(lastRenderedJson).sort();
  const [name, setName] = useState(names[0] ?? '');
  const rendered = lastRenderedJson[name];
  return (
    <Section title={`${texts.live}: ${targetOf(replica)}`}>
      {conflicts.length > 0 && (
        <ul className={styles.rows}>
          {conflicts.map((conflict) => (
            <li key={conflict}>
              <Badge tone="warn">{texts.conflicts}</Badge> <code>{conflict}</code>
            </li>
          ))}
        </ul>
      )}
      {names.length > 0 && (
        <SelectField
          label={texts.resource}
          value={name}
          options={names.map((value) => ({ value, label: value }))}
          onChange={setName}
        />
      )}
      {rendered !== undefined && <Comparison key={name} ns={targetOf(replica)} name={name} rendered={rendered} />}
    </Section>
  );
};

const SORTED = { isSorted: true };

interface ComparisonProps {
  readonly ns: string;
  /** `Kind/name`. */
  readonly name: string;
  /** JSON as it was rendered last. */
  readonly rendered: string;
}

const Comparison = ({ ns, name, rendered }: ComparisonProps): ReactElement => {
  const found = useLive(ns, name);
  const wanted = JSON.parse(rendered) as JsonObject;
  const live = found.data ? spokenOf(found.data, wanted) : undefined;
  const diff = useQuery({
    queryKey: ['rendered', rendered, JSON.stringify(live)],
    queryFn: async () => ({ before: await yamlText(wanted, SORTED), after: await yamlText(live, SORTED) }),
    enabled: live !== undefined,
  });
  const [kind = '', own = ''] = name.split('/');
  if (found.error) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data === null) return <p>{texts.gone}</p>;
  if (found.data === undefined || diff.data === undefined) return <Loading />;
  return (
    <>
      <p>
        <ResourceLink address={{ kind, ns, name: own, parent: '' }} />{' '}
        {isSameJson(live, wanted) && <Badge tone="good">{texts.asRendered}</Badge>}
      </p>
      {diff.data.before === diff.data.after ? (
        <CodeEditor label={name} value={diff.data.after} language="yaml" />
      ) : (
        <DiffView label={texts.live} before={diff.data.before} after={diff.data.after} language="yaml" />
      )}
    </>
  );
};
