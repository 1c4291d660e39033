import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { addresses, Goto } from '../../app/address.tsx';
import { usePanels } from '../../app/panels/use-panels.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { EXPLAIN_MESSAGE, explainKey } from '../explain/index.ts';
import styles from './channel.module.css';
import { type ChannelKey, useChannel, useDeleteChannel, useSetPhase, useSubscriptions } from './channel-data.ts';
import { Composer } from './composer.tsx';
import { Messages } from './messages.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { texts } from './texts.ts';

/** One channel: what is said, who listens, and a place to write. */
export const ChannelPage = (): ReactElement => {
  const { ns = '', name = '' } = useParams({ strict: false });
  const key = { ns, name };
  // Another channel is another page: what is written, asked or refused belongs to one.
  const own = `${ns}/${name}`;
  const can = useCan();
  const { open } = usePanels();
  const found = useChannel(key);
  const subscriptions = useSubscriptions(key);
  const isClosed = found.data?.status?.phase === 'closed';
  const mayPost = can('operator', { ns, channel: name });
  return (
    <Page
      title={found.data?.spec?.title || name}
      above={<Goto to={addresses.channels(ns)}>{`${texts.title} in ${ns}`}</Goto>}
      badge={found.data && <Badge tone={isClosed ? 'calm' : 'good'}>{isClosed ? 'closed' : 'open'}</Badge>}
      actions={
        <>
          {mayPost && found.data && (
            <Button icon="play" onClick={() => open({ type: EXPLAIN_MESSAGE, key: explainKey(key) })}>
              {texts.explain}
            </Button>
          )}
          {can('admin', { ns }) && found.data && <ChannelActions key={own} channelKey={key} isClosed={isClosed} />}
          <CopyMenu command={`svc channel tail ${name} -n ${ns}`} path={`/v1/ns/${ns}/channels/${name}/messages`} />
        </>
      }
      isFilled
    >
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && (
        <div className={styles.split}>
          <div className={styles.room}>
            <Messages key={own} channelKey={key} />
            {mayPost && (
              <Composer key={own} channelKey={key} isClosed={isClosed} subscriptions={subscriptions.data ?? []} />
            )}
          </div>
          <aside className={styles.side} aria-label={texts.subscriptions}>
            <Subscriptions key={own} channelKey={key} found={subscriptions} />
          </aside>
        </div>
      )}
    </Page>
  );
};

const ChannelActions = ({
  channelKey,
  isClosed,
}: {
  readonly channelKey: ChannelKey;
  readonly isClosed: boolean;
}): ReactElement => {
  const navigate = useNavigate();
  const { data: channel } = useChannel(channelKey);
  const setPhase = useSetPhase(channelKey);
  const remove = useDeleteChannel(channelKey, () => void navigate({ to: addresses.channels(channelKey.ns) }));
  const [isAsking, setAsking] = useState(false);
  const error = setPhase.error ?? remove.error;
  return (
    <>
      <Button
        icon={isClosed ? 'play' : 'pause'}
        isBusy={setPhase.isPending}
        onClick={() => {
          if (channel !== undefined) setPhase.mutate({ channel, phase: isClosed ? 'open' : 'closed' });
        }}
      >
        {isClosed ? texts.open : texts.close}
      </Button>
      <Button kind="danger" icon="trash" isBusy={remove.isPending} onClick={() => setAsking(true)}>
        {texts.delete}
      </Button>
      {error && <Problem error={error} />}
      {isAsking && (
        <Confirm
          title={texts.deleteTitle}
          action={texts.delete}
          typed={channelKey.name}
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => setAsking(false)}
        >
          <p>{texts.deleteLead}</p>
        </Confirm>
      )}
    </>
  );
};
