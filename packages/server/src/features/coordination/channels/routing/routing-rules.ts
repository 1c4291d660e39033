import type { ChannelSubscriptionSpec } from '@svc/api/resources';
import { isSubscriptionOff } from '../subscription/index.ts';
import { findMentions, isMentioned, type Mentions } from './mention-rules.ts';

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

/** What a subscription makes of a message: it calls its agent, or the first thing that keeps it from that. */
export type SubscriptionWord =
  | 'called'
  | 'disabled'
  | 'hops_exceeded'
  | 'agent_messages_off'
  | 'not_named'
  | 'own_message'
  | 'not_mentioned'
  | 'routed_only';

export interface JudgedSubscription<C> {
  readonly subscription: C;
  readonly word: SubscriptionWord;
}

/**
 * What each subscription makes of a message, in the order of their names; those that say `called` are what it is routed to. What an agent
 * published goes only to those that ask for messages of agents, and only while no more than `maxHops` agents answered each other.
 */
export const judgeSubscriptions = <C extends Candidate>(
  message: RoutedMessage,
  candidates: readonly C[],
  maxHops: number,
): readonly JudgedSubscription<C>[] => {
  const mentions = findMentions(message.content);
  return candidates
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map((subscription) => ({ subscription, word: wordFor(message, subscription, { mentions, maxHops }) }));
};

const wordFor = (
  message: RoutedMessage,
  { name, spec }: Candidate,
  { mentions, maxHops }: { readonly mentions: Mentions; readonly maxHops: number },
): SubscriptionWord => {
  const { hops } = message;
  if (isSubscriptionOff(spec)) return 'disabled';
  if (hops !== undefined && hops > maxHops) return 'hops_exceeded';
  if (hops !== undefined && spec.metadata[AGENT_MESSAGES] !== 'route') return 'agent_messages_off';
  if (spec.trigger === 'manual') return message.subscriptionNames.includes(name) ? 'called' : 'not_named';
  if (isOwnMessage(message, spec.agent)) return 'own_message';
  if (spec.trigger === 'all') return 'called';
  if (spec.trigger !== 'mention') return 'routed_only';
  return isMentioned(mentions, spec.agent) || isMentioned(mentions, name) ? 'called' : 'not_mentioned';
};

/** An agent's own message; a user of the same name is somebody else. */
const isOwnMessage = (message: RoutedMessage, agent: string): boolean =>
  message.authorKind === 'agent' && message.author === agent;
