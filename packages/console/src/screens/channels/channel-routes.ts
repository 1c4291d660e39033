import { type ChannelEvent, ChannelEventKind } from '@svc/api/events';

/** Where a message of a channel went. */
export interface MessageRoute {
  readonly subscription: string;
  readonly agent: string;
  /** '' for a route that failed before there was one. */
  readonly sessionId: string;
  readonly outcome: 'answering' | 'skipped' | 'failed';
  /** Why it failed, or why the agent did not answer. */
  readonly reason: string;
}

/**
 * The routes of each message, by its id. A message is stored together with where it went, so routes belong to the message before
 * them; what an agent does later is found by its session.
 */
export const routesByMessage = (events: readonly ChannelEvent[]): ReadonlyMap<string, readonly MessageRoute[]> => {
  const found = new Map<string, MessageRoute[]>();
  const messageOf = new Map<string, string>();
  let latest = '';
  for (const { kind, message, sessionId, agent, subscription, error } of events) {
    if (kind === ChannelEventKind.MESSAGE_CREATED) latest = message?.id ?? latest;
    const routes = found.get(messageOf.get(sessionId) ?? latest) ?? [];
    const known = routes.findIndex((route) => sessionId !== '' && route.sessionId === sessionId);
    const outcome = OUTCOMES[kind];
    if (outcome === undefined) continue;
    const route = {
      subscription: subscription || (routes[known]?.subscription ?? ''),
      agent,
      sessionId,
      outcome,
      reason: error,
    };
    if (known === -1) {
      found.set(latest, [...routes, route]);
      if (sessionId !== '') messageOf.set(sessionId, latest);
    } else routes[known] = route;
  }
  return found;
};

const OUTCOMES: Readonly<Partial<Record<ChannelEventKind, MessageRoute['outcome']>>> = {
  [ChannelEventKind.SESSION_ROUTED]: 'answering',
  [ChannelEventKind.PUBLISH_SKIPPED]: 'skipped',
  [ChannelEventKind.ERROR]: 'failed',
};
