import type { SandboxStatus } from '@svc/api/resources';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import type { PanelProps } from '../../app/panels/panel-table.ts';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { phaseOf, toneOfPhase, useResource } from '../resources/index.ts';
import { sandboxOf, sandboxStatusOf } from './sandbox-facts.ts';
import styles from './sandboxes.module.css';
import { Terminal } from './terminal/index.ts';
import { texts } from './texts.ts';

/** One sandbox: who holds it and what runs in it; its key is `ns/name`. */
export const SandboxPanel = ({ panelKey }: PanelProps): ReactElement => {
  const [ns = '', name = ''] = panelKey.split('/');
  const mayRun = useCan()('admin', { ns });
  const found = useResource({ kind: 'Sandbox', ns, name, parent: '' });
  if (found.error) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data === undefined) return <Loading />;
  const spec = sandboxOf(found.data);
  const status = sandboxStatusOf(found.data);
  const phase = phaseOf(found.data);
  return (
    <div className={styles.panel}>
      <h2>{name}</h2>
      {phase !== '' && (
        <div>
          <Badge tone={toneOfPhase(phase)}>{phase}</Badge>
        </div>
      )}
      <Facts
        rows={[
          [texts.madeFrom, spec?.policyRef || spec?.classRef?.name],
          [texts.image, spec?.runtimeTemplate?.image],
          [texts.backend, status?.backendId],
        ]}
      />
      <Section title={texts.holder}>
        <Lease ns={ns} status={status} />
      </Section>
      <Section title={texts.processes}>
        {(status?.processes.length ?? 0) === 0 && <p>{texts.noProcesses}</p>}
        <ul className={styles.processes}>
          {status?.processes.map(({ id, command, args, phase: state }) => (
            <li key={id}>
              <code>{[command, ...args].join(' ')}</code>
              <Badge tone={toneOfPhase(state)}>{state}</Badge>
            </li>
          ))}
        </ul>
      </Section>
      {mayRun && (
        <Section title={texts.terminal}>
          <Terminal key={panelKey} ns={ns} name={name} />
        </Section>
      )}
      <Link to="/ns/$ns/resources/$kind/$name" params={{ ns, kind: 'Sandbox', name }} search={{ view: 'yaml' }}>
        {texts.edit}
      </Link>
    </div>
  );
};

const Lease = ({ ns, status }: { readonly ns: string; readonly status: SandboxStatus | undefined }): ReactElement => {
  const lease = status?.lease;
  if (lease === undefined) return <p>{texts.free}</p>;
  // The address belongs to another screen.
  const to: string = `/ns/${ns}/agents/${lease.ownerAgent}/sessions/${lease.ownerSessionId}`;
  return (
    <Facts
      rows={[
        [texts.agent, lease.ownerAgent],
        [
          texts.session,
          lease.ownerSessionId && (
            <Link key="session" to={to}>
              {lease.ownerSessionId}
            </Link>
          ),
        ],
        [texts.since, <Time key="since" at={lease.acquiredAt} />],
        [texts.sign, <Time key="sign" at={lease.heartbeatAt} />],
        [texts.heldUntil, <Time key="until" at={lease.expiresAt} />],
      ]}
    />
  );
};
