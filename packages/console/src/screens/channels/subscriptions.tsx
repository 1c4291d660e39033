import type { ChannelSubscription } from '@svc/api/resources';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { addresses, Goto } from '../../app/address.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './channel.module.css';
import { type ChannelKey, useAgentNames, useSubscribe, useSwitch, useUnsubscribe } from './channel-data.ts';
import { texts } from './texts.ts';

interface SubscriptionsProps {
  readonly channelKey: ChannelKey;
  readonly found: UseQueryResult<readonly ChannelSubscription[]>;
}

/** The agents that listen in a channel. */
export const Subscriptions = ({ channelKey, found }: SubscriptionsProps): ReactElement => {
  const can = useCan();
  const mayChange = can('admin', { ns: channelKey.ns });
  const change = useSwitch(channelKey);
  const remove = useUnsubscribe(channelKey);
  const [asked, setAsked] = useState<string>();
  const error = change.error ?? remove.error;
  return (
    <Section title={texts.subscriptions}>
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {error && <Problem error={error} />}
      {found.data?.length === 0 && <p className={styles.soft}>{texts.noSubscriptions}</p>}
      <ul className={styles.subscriptions}>
        {found.data?.map((subscription) => {
          const name = subscription.metadata?.name ?? '';
          const { agent = '', trigger = '', replyMode = '', enabled } = subscription.spec ?? {};
          const isOff = enabled === false || trigger === 'disabled';
          return (
            <li key={name}>
              <span className={styles.head}>
                <Goto to={addresses.agent(channelKey.ns, agent)}>{agent}</Goto>
                {isOff && <Badge tone="calm">{texts.off}</Badge>}
              </span>
              <span className={styles.soft}>
                {name} · {texts.trigger.toLowerCase()} {trigger} · {texts.replies.toLowerCase()} {replyMode}
              </span>
              {mayChange && (
                <span className={styles.head}>
                  <Button isBusy={change.isPending} onClick={() => change.mutate(subscription)}>
                    {enabled === false ? texts.enable : texts.disable}
                  </Button>
                  <IconButton label={texts.remove(name)} icon="trash" onClick={() => setAsked(name)} />
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {mayChange && <SubscribeForm channelKey={channelKey} />}
      {asked !== undefined && (
        <Confirm
          title={texts.removeTitle}
          action={texts.remove(asked)}
          onConfirm={() => remove.mutate(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>{texts.removeLead}</p>
        </Confirm>
      )}
    </Section>
  );
};

const TRIGGERS = ['mention', 'all', 'manual', 'routed'] as const;
const REPLIES = ['auto', 'tool', 'none'] as const;

const optionsOf = <V extends string>(values: readonly V[]) => values.map((value) => ({ value, label: value }));

const SubscribeForm = ({ channelKey }: { readonly channelKey: ChannelKey }): ReactElement => {
  const agents = useAgentNames(channelKey.ns);
  const [chosen, setChosen] = useState('');
  const [trigger, setTrigger] = useState<(typeof TRIGGERS)[number]>('mention');
  const [replyMode, setReplyMode] = useState<(typeof REPLIES)[number]>('auto');
  const subscribe = useSubscribe(channelKey, () => setChosen(''));
  const names = agents.data ?? [];
  const agent = chosen === '' ? (names[0] ?? '') : chosen;
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        subscribe.mutate({ agent, trigger, replyMode });
      }}
    >
      <SelectField label={texts.subscribeAgent} value={agent} options={optionsOf(names)} onChange={setChosen} />
      <SelectField label={texts.trigger} value={trigger} options={optionsOf(TRIGGERS)} onChange={setTrigger} />
      <SelectField label={texts.replies} value={replyMode} options={optionsOf(REPLIES)} onChange={setReplyMode} />
      {subscribe.error && <Problem error={subscribe.error} />}
      <Button type="submit" icon="plus" isBusy={subscribe.isPending}>
        {texts.subscribe}
      </Button>
    </form>
  );
};
