import type { ChannelMessage } from '@svc/api/data';
import { type ReactElement, useEffect, useRef } from 'react';
import { addresses, Goto, TrailLink } from '../../app/address.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './channel.module.css';
import { type ChannelKey, inOrder, useChannelEvents, useMessages } from './channel-data.ts';
import { type MessageRoute, routesByMessage } from './channel-routes.ts';
import { texts } from './texts.ts';

/** How near to the end, in pixels, the person reads the newest: then new ones come into sight. */
const NEAR_END_PX = 80;

/** What was said, oldest first, each message with where it went. */
export const Messages = ({ channelKey }: { readonly channelKey: ChannelKey }): ReactElement => {
  const found = useMessages(channelKey);
  const { events, isLost, error } = useChannelEvents(channelKey);
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const messages = inOrder(found.data?.pages ?? []);
  const routes = routesByMessage(events);
  const newest = messages.at(-1)?.id;
  useEffect(() => {
    const area = list.current;
    if (newest !== undefined && isAtEnd.current && area !== null) area.scrollTop = area.scrollHeight;
  }, [newest]);
  return (
    <div
      ref={list}
      className={styles.messages}
      role="log"
      aria-label={texts.messages}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
      }}
    >
      {found.hasNextPage && (
        <Button kind="quiet" icon="up" isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {texts.earlier}
        </Button>
      )}
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && messages.length === 0 && (
        <Empty icon="channel" title={texts.noMessages}>
          <p>{texts.noMessagesLead}</p>
        </Empty>
      )}
      {messages.map((message) => (
        <Message key={message.id} message={message} routes={routes.get(message.id) ?? []} />
      ))}
      {error && !found.error && <Problem error={error} />}
      {isLost && <p className={styles.soft}>{texts.streamLost}</p>}
    </div>
  );
};

const TONES: Readonly<Record<MessageRoute['outcome'], Tone>> = { answering: 'good', skipped: 'calm', failed: 'bad' };

const Message = ({
  message,
  routes,
}: {
  readonly message: ChannelMessage;
  readonly routes: readonly MessageRoute[];
}): ReactElement => {
  const { ns, id, author, authorKind, content, createdAt, sourceAgent, sourceSessionId } = message;
  return (
    <article className={styles.message}>
      <header className={styles.head}>
        <strong>{author || authorKind}</strong>
        {authorKind === 'agent' && <Badge tone="calm">{texts.agent}</Badge>}
        <span className={styles.soft}>
          <Time at={createdAt} />
        </span>
        {sourceSessionId !== '' && <Goto to={addresses.session(ns, sourceAgent, sourceSessionId)}>{sourceAgent}</Goto>}
        <TrailLink ns={ns} id={id}>
          {texts.trail}
        </TrailLink>
      </header>
      <Markdown text={content} />
      {routes.length > 0 && (
        <ul className={styles.routes}>
          {routes.map((route) => (
            <li key={`${route.subscription} ${route.sessionId} ${route.reason}`}>
              <Badge tone={TONES[route.outcome]}>{route.agent || route.subscription}</Badge>
              {route.sessionId === '' ? (
                texts[route.outcome]
              ) : (
                <Goto to={addresses.session(ns, route.agent, route.sessionId)}>{texts[route.outcome]}</Goto>
              )}
              {route.reason !== '' && <span>{route.reason}</span>}
            </li>
          ))}
        </ul>
      )}
    </article>
  );
};
