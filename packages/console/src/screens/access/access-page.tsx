import type { ApiKey } from '@svc/api/data';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useAccess, useCan } from '../../access/access-context.ts';
import { usePanels } from '../../app/panels/use-panels.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './access.module.css';
import { useApiKeys, useRevokeKey } from './access-data.ts';
import { grantText, type Holding, holdingsThatReach } from './grants.ts';
import { HoldingTable, KeyTable } from './key-tables.tsx';
import { texts } from './texts.ts';

/** Who the person is, the keys that exist, and who may do what. */
export const AccessPage = (): ReactElement => {
  const { whoAmI } = useAccess();
  const { revoked, reach = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { open } = usePanels();
  const mayWrite = useCan()('admin');
  const found = useApiKeys(revoked === 'yes');
  const keys = found.data?.pages.flatMap((page) => page.keys) ?? [];
  const begin = (): void => open({ type: 'api-key', key: 'new' });
  useKey({ keys: 'n', does: texts.newKey, run: begin }, mayWrite);
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <CopyMenu command="svc apikey list" path="/v1/auth/api-keys" />
          {mayWrite && (
            <Button kind="primary" icon="plus" onClick={begin} shortcut="n">
              {texts.newKey}
            </Button>
          )}
        </>
      }
    >
      <Section title={texts.you}>
        <Facts
          rows={[
            [texts.subject, whoAmI.subject],
            [texts.identity, whoAmI.identity],
            [texts.mode, whoAmI.mode],
            [texts.until, whoAmI.expiresAt && <Time at={whoAmI.expiresAt} />],
            [texts.yourGrants, <GrantLines key="grants" lines={whoAmI.grants.map(grantText)} />],
          ]}
        />
      </Section>
      <Section
        title={texts.keys}
        actions={
          <Checkbox
            label={texts.showRevoked}
            checked={revoked === 'yes'}
            onChange={(checked) =>
              void navigate({ to: '.', search: (before) => ({ ...before, revoked: checked ? 'yes' : undefined }) })
            }
          />
        }
      >
        {found.isPending && <Loading />}
        {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
        {found.isSuccess && keys.length === 0 && (
          <p>
            {texts.noKeys}. {texts.noKeysHint}
          </p>
        )}
        {keys.length > 0 && <Keys keys={keys} mayWrite={mayWrite} />}
        {found.hasNextPage && <Button onClick={() => void found.fetchNextPage()}>More</Button>}
      </Section>
      <WhoMayWhat keys={keys} reach={reach} />
    </Page>
  );
};

const GrantLines = ({ lines }: { readonly lines: readonly string[] }): ReactElement => (
  <ul>
    {lines.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
);

const Keys = ({ keys, mayWrite }: { readonly keys: readonly ApiKey[]; readonly mayWrite: boolean }): ReactElement => {
  const [asked, setAsked] = useState<ApiKey>();
  const revoking = useRevokeKey();
  return (
    <>
      {revoking.error && <Problem error={revoking.error} />}
      <KeyTable keys={keys} onRevoke={mayWrite ? setAsked : undefined} />
      {asked && (
        <Confirm
          title={texts.revokeTitle}
          action={texts.revoke}
          onConfirm={() => revoking.mutate(asked, { onSuccess: () => notify(`${texts.revokedNotice}: ${asked.name}`) })}
          onClose={() => setAsked(undefined)}
        >
          <p>
            <b>{asked.name}</b> <code>{asked.prefix}</code>
          </p>
          <p>{texts.revokeText}</p>
        </Confirm>
      )}
    </>
  );
};

const WhoMayWhat = ({ keys, reach }: { readonly keys: readonly ApiKey[]; readonly reach: string }): ReactElement => {
  const { whoAmI, namespaces } = useAccess();
  const navigate = useNavigate();
  const all: readonly Holding[] = [
    { holder: whoAmI.subject, grants: whoAmI.grants },
    ...keys
      .filter(({ revokedAt }) => revokedAt === undefined)
      .map(({ name, grants }) => ({ holder: `${texts.keyPanel} ${name}`, grants })),
  ].flatMap(({ holder, grants }) => grants.map((grant) => ({ holder, grant })));
  const shown = holdingsThatReach(all, reach, (ns) => namespaces.ancestorsOf(ns));
  return (
    <Section title={texts.who}>
      <div className={styles.filter}>
        <TextField
          label={texts.reach}
          placeholder={texts.reachHint}
          value={reach}
          onChange={(next) =>
            void navigate({ to: '.', search: (before) => ({ ...before, reach: next || undefined }), replace: true })
          }
        />
      </div>
      {shown.length === 0 ? <p>{texts.noHolder}</p> : <HoldingTable holdings={shown} />}
    </Section>
  );
};
