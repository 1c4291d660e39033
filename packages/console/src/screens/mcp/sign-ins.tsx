import type { McpGrant } from '@svc/api/gateway';
import { type ReactElement, useEffect, useState } from 'react';
import { useAccess, useCan } from '../../access/access-context.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { isWebAddress } from '../../ui/web-address.ts';
import styles from './mcp.module.css';
import { useGrants, useRevoke, useSignIn } from './mcp-data.ts';
import { texts } from './texts.ts';

/** Who is signed in to the server, and the person's own sign-in. */
export const SignIns = ({ ns, server }: { readonly ns: string; readonly server: string }): ReactElement => {
  const found = useGrants(ns, server);
  const start = useSignIn(ns, server);
  const { refetch } = found;
  const maySignIn = useCan()('operator', { ns });
  // The sign-in happens in another tab, and no event tells of it: look again when the person comes back.
  useEffect(() => {
    const look = (): void => void refetch();
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [refetch]);
  return (
    <Section
      title={texts.grants}
      actions={
        maySignIn && (
          <Button isBusy={start.isPending} onClick={() => start.mutate()}>
            {texts.signIn}
          </Button>
        )
      }
    >
      {start.error && <Problem error={start.error} />}
      {start.data && isWebAddress(start.data.url) && (
        <p>
          <a href={start.data.url} target="_blank" rel="noopener noreferrer">
            {texts.openSignIn}
          </a>{' '}
          <span className={styles.soft}>
            {texts.signInUntil} <Time at={start.data.expiresAt} />
          </span>
        </p>
      )}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.data?.length === 0 && <p className={styles.soft}>{texts.noGrants}</p>}
      <ul className={styles.list}>
        {found.data?.map((grant) => (
          <Grant key={`${grant.serverNs} ${grant.server} ${grant.identity}`} ns={ns} grant={grant} />
        ))}
      </ul>
    </Section>
  );
};

const Grant = ({ ns, grant }: { readonly ns: string; readonly grant: McpGrant }): ReactElement => {
  const { whoAmI } = useAccess();
  const [asks, setAsks] = useState(false);
  const revoke = useRevoke(ns);
  const can = useCan();
  const isOwn = grant.identity !== '' && grant.identity === whoAmI.identity;
  const mayRevoke = can(isOwn ? 'operator' : 'admin', { ns });
  const who = grant.identity || texts.everyone;
  return (
    <li className={styles.bar}>
      <span>
        {who} · {grant.issuer} <span className={styles.soft}>{grant.scope}</span>{' '}
        <span className={styles.soft}>
          {texts.signedIn} <Time at={grant.signedInAt} />
        </span>
      </span>
      {mayRevoke && (
        <Button kind="danger" isBusy={revoke.isPending} onClick={() => setAsks(true)}>
          {texts.revoke}
        </Button>
      )}
      {revoke.error && <Problem error={revoke.error} />}
      {asks && (
        <Confirm
          title={texts.revokeTitle(who)}
          action={texts.revoke}
          onConfirm={() => revoke.mutate(grant)}
          onClose={() => setAsks(false)}
        >
          {texts.revokeLead}
        </Confirm>
      )}
    </li>
  );
};
