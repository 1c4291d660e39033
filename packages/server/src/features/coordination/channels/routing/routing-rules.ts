import type { ChannelSubscriptionSpec } from '@svc/api/resources';
import { isSubscriptionOff } from '../subscription/index.ts';
import { findMentions, isMentioned } from './mention-rules.ts';

/** A message that may be routed. */
export interface RoutedMessage {
  readonly content: string;
  readonly authorKind: string;
  readonly author: string;
  /** Names of manual subscriptions that the post asks for. */
  readonly subscriptionNames: readonly string[];
}

export interface Candidate {
  readonly name: string;
  readonly spec: Pick<ChannelSubscriptionSpec, 'agent' | 'enabled' | 'trigger'>;
}

/** The enabled subscriptions that a post is routed to, in the order of their names. */
export const matchingSubscriptions = <C extends Candidate>(
  message: RoutedMessage,
  candidates: readonly C[],
): readonly C[] => {
  const mentions = findMentions(message.content);
  return candidates
    .filter(({ name, spec }) => {
      if (isSubscriptionOff(spec)) return false;
      if (spec.trigger === 'manual') return message.subscriptionNames.includes(name);
      if (isOwnMessage(message, spec.agent)) return false;
      if (spec.trigger === 'all') return true;
      return spec.trigger === 'mention' && (isMentioned(mentions, spec.agent) || isMentioned(mentions, name));
    })
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
};

/** An agent's own message; a user of the same name is somebody else. */
const isOwnMessage = (message: RoutedMessage, agent: string): boolean =>
  message.authorKind === 'agent' && message.author === agent;
