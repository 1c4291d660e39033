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
  /** How many agents answered each other up to this message, which an agent published; absent for a post. */
  readonly hops?: number;
}

export interface Candidate {
  readonly name: string;
  readonly spec: Pick<ChannelSubscriptionSpec, 'agent' | 'enabled' | 'trigger' | 'metadata'>;
}

/** Entry of a subscription's metadata by which it takes what other agents publish, too. */
const AGENT_MESSAGES = 'agentMessages';

/**
 * The enabled subscriptions that a message is routed to, in the order of their names. What an agent published goes only to those that ask
 * for messages of agents, and only while no more than `maxHops` agents answered each other.
 */
export const matchingSubscriptions = <C extends Candidate>(
  message: RoutedMessage,
  candidates: readonly C[],
  maxHops: number,
): readonly C[] => {
  const mentions = findMentions(message.content);
  const { hops } = message;
  if (hops !== undefined && hops > maxHops) return [];
  return candidates
    .filter(({ name, spec }) => {
      if (isSubscriptionOff(spec)) return false;
      if (hops !== undefined && spec.metadata[AGENT_MESSAGES] !== 'route') return false;
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
