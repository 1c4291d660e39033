import type { Resource } from '@svc/api/resources';
import type { ReactElement } from 'react';
import { Chart } from '../../ui/chart.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { addressOfResource, addressText, ResourceLink, ResourceOverview } from '../resources/index.ts';
import styles from './agents.module.css';
import { type AgentName, useAgentUsage, useAgentUses, useFailedTurns } from './agents-data.ts';
import { texts } from './texts.ts';
import { costText, lastDays } from './usage-days.ts';

/** How the agent does: use, cost and errors of the last days, where it is used, and its state. */
export const OverviewTab = ({ agent, ns, name }: AgentName & { readonly agent: Resource }): ReactElement => (
  <div className={styles.stack}>
    <Usage ns={ns} name={name} />
    <Uses ns={ns} name={name} />
    <Section title={texts.conditions}>
      <ResourceOverview address={{ kind: 'Agent', ns, name, parent: '' }} resource={agent} />
    </Section>
  </div>
);

const numbers = new Intl.NumberFormat('en');
const dayText = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const Usage = (agent: AgentName): ReactElement => {
  const found = useAgentUsage(agent);
  const failed = useFailedTurns(agent);
  const { total } = found.data ?? {};
  const days = lastDays(found.data?.rows ?? [], Date.now());
  return (
    <Section title={texts.last7Days}>
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {failed.error && <Problem error={failed.error} onRetry={() => void failed.refetch()} />}
      {found.isPending && <Loading />}
      {total && (
        <div className={styles.numbers}>
          <Amount name={texts.requests} text={numbers.format(total.requests)} />
          <Amount name={texts.inputTokens} text={numbers.format(total.inputTokens)} />
          <Amount name={texts.outputTokens} text={numbers.format(total.outputTokens)} />
          <Amount name={texts.cost} text={costText(total.costMicros)} />
          <Amount name={texts.failedTurns} text={String(failed.data?.length ?? '')} hint={texts.failedHint} />
        </div>
      )}
      {total && total.unpricedRequests > 0n && (
        <p className={styles.soft}>{texts.unpriced(numbers.format(total.unpricedRequests))}</p>
      )}
      {total?.requests === 0n && <p className={styles.soft}>{texts.noUse}</p>}
      {total && total.requests > 0n && (
        <Chart
          label={texts.tokens}
          at={days.map(({ seconds }) => seconds)}
          series={[
            { name: texts.inputTokens, values: days.map(({ input }) => input) },
            { name: texts.outputTokens, values: days.map(({ output }) => output) },
          ]}
          text={(value) => numbers.format(value)}
          atText={(seconds) => dayText.format(seconds * 1_000)}
          shape="bars"
          height={120}
        />
      )}
      {failed.data && failed.data.length > 0 && (
        <>
          <h3>{texts.errors}</h3>
          <ul className={styles.list}>
            {failed.data.slice(0, 5).map(({ id, at, error }) => (
              <li key={id}>
                <Time at={at} /> {error}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
};

const Amount = ({
  name,
  text,
  hint,
}: {
  readonly name: string;
  readonly text: string;
  readonly hint?: string;
}): ReactElement => (
  <div title={hint}>
    <span className={styles.soft}>{name}</span>
    <strong>{text}</strong>
  </div>
);

const Uses = (agent: AgentName): ReactElement => {
  const found = useAgentUses(agent);
  return (
    <Section title={texts.usedBy}>
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.data?.length === 0 && <p className={styles.soft}>{texts.unused}</p>}
      {found.data && (
        <Facts
          rows={found.data.map(({ resource, how }) => [
            how,
            <ResourceLink key={addressText(addressOfResource(resource))} address={addressOfResource(resource)} />,
          ])}
        />
      )}
    </Section>
  );
};
