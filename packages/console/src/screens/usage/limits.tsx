import type { Resource, UsageLimitStatus } from '@svc/api/resources';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useLiveEvents } from '../../live/live-context.ts';
import { Loading } from '../../ui/loading.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { useEveryResource } from '../resources/index.ts';
import { texts } from './texts.ts';
import styles from './usage.module.css';
import { countText, limitText, usedText } from './usage-texts.ts';

/** How much of every limit is used, and when it frees up. */
export const Limits = ({ ns, mayWrite }: { readonly ns: string; readonly mayWrite: boolean }): ReactElement => {
  const found = useEveryResource('UsagePolicy', ns);
  // Turns change what is used, without a change of the policy.
  useLiveEvents('turn', () => void found.refetch());
  const policies = found.data ?? [];
  const newLimit = mayWrite && ns !== '-' && (
    <Link to="/ns/$ns/new/$kind" params={{ ns, kind: 'UsagePolicy' }}>
      {texts.newLimit}
    </Link>
  );
  return (
    <Section title={texts.limits} actions={newLimit}>
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && policies.length === 0 && <p>{texts.noLimits}</p>}
      <div className={styles.policies}>
        {policies.map((policy) => (
          <Policy key={policy.metadata?.uid} policy={policy} mayWrite={mayWrite} />
        ))}
      </div>
    </Section>
  );
};

const Policy = ({ policy, mayWrite }: { readonly policy: Resource; readonly mayWrite: boolean }): ReactElement => {
  const { name = '', namespace: ns = '' } = policy.metadata ?? {};
  const status = policy.status?.kind;
  const limits = status?.case === 'usagePolicy' ? status.value.hard : [];
  return (
    <article className={styles.policy}>
      <header>
        <h3>{`${ns}/${name}`}</h3>
        <Link to="/ns/$ns/resources/$kind/$name" params={{ ns, kind: 'UsagePolicy', name }} search={{ view: 'yaml' }}>
          {mayWrite ? texts.edit : 'YAML'}
        </Link>
      </header>
      <ul>
        {limits.map((limit) => (
          <li key={limitText(limit)}>
            <Limit limit={limit} />
          </li>
        ))}
      </ul>
    </article>
  );
};

const MICROS = 1_000_000n;

const Limit = ({ limit }: { readonly limit: UsageLimitStatus }): ReactElement => (
  <>
    <span>{limitText(limit)}</span>
    <Meter label={limitText(limit)} value={Number(limit.used)} max={Number(limit.max)} text={usedText(limit)} />
    <small>
      {texts.frees} <Time at={limit.resetAt * MICROS} />
      {limit.raises.map(({ identity, amount, until }) => (
        <span key={identity}>
          {`, ${identity} ${texts.raised} ${countText(amount)} ${texts.until} `}
          <Time at={until * MICROS} />
        </span>
      ))}
    </small>
  </>
);
