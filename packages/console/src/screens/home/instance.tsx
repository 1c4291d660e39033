import type { ReactElement } from 'react';
import { useAccess, useCan } from '../../access/access-context.ts';
import { useWrite } from '../../api/use-call.ts';
import { addresses, Goto } from '../../app/address.tsx';
import { EVERYWHERE } from '../../app/scope.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './home.module.css';
import { texts } from './texts.ts';

const TONES: Readonly<Record<string, Tone>> = { ok: 'good', warn: 'warn', fail: 'bad' };

/** Version and health of the server. */
export const Instance = ({ agents }: { readonly agents: number | undefined }): ReactElement => {
  const { whoAmI } = useAccess();
  const can = useCan();
  const doctor = useWrite((client, _: undefined) => client.admin.runDoctor({ online: false }));
  const wrong = doctor.data?.checks.filter(({ result }) => result !== 'ok') ?? [];
  return (
    <Section title={texts.health}>
      <Facts
        rows={[
          [texts.version, whoAmI.serverVersion],
          [
            texts.agents,
            agents === undefined ? undefined : (
              <Goto key="agents" to={addresses.resources(EVERYWHERE, 'Agent')}>
                {agents}
              </Goto>
            ),
          ],
        ]}
      />
      {can('admin', { isEverywhere: true }) && (
        <div>
          <Button icon="shield" isBusy={doctor.isPending} onClick={() => doctor.mutate(undefined)}>
            {texts.runChecks}
          </Button>
        </div>
      )}
      {doctor.error && <Problem error={doctor.error} />}
      {doctor.data && wrong.length === 0 && <Badge tone="good">{texts.allWell}</Badge>}
      <ul className={styles.lines}>
        {wrong.map(({ name, result, detail, remedy }) => (
          <li key={name}>
            <Badge tone={TONES[result] ?? 'calm'}>{result}</Badge>
            <span>
              {name}: {detail} {remedy}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
};
