import type { RouteVerdict, SubscriptionVerdict } from '@svc/api/data';
import { ConnectorMessageEventStatus as Status } from '@svc/api/external';
import type { Tone } from '../../ui/badge.tsx';

const SUBSCRIPTIONS: Readonly<Record<string, string>> = {
  disabled: 'it is disabled',
  hops_exceeded: 'too many agents answered each other',
  agent_messages_off: 'it takes no messages that agents publish',
  not_named: 'it is called by name only',
  own_message: 'the agent wrote it itself',
  not_mentioned: 'it mentions neither the agent nor the subscription',
  routed_only: 'only connectors reach it',
};

const TRIGGERS: Readonly<Record<string, string>> = {
  mention: 'it is mentioned',
  all: 'it takes every message',
  manual: 'it is called by name',
  routed: 'the connector calls it',
};

/** Why an agent would be called, or not. */
export const subscriptionText = ({ outcome, trigger, error }: SubscriptionVerdict): string => {
  if (error !== '') return error;
  return (outcome === 'called' ? TRIGGERS[trigger] : SUBSCRIPTIONS[outcome]) ?? outcome;
};

/** Good for an agent that would be called, bad for one that should be and cannot. */
export const subscriptionTone = ({ outcome }: SubscriptionVerdict): Tone => {
  if (outcome === 'called') return 'good';
  return outcome === 'failed' || outcome === 'loop_guard' ? 'bad' : 'calm';
};

const ROUTES: Readonly<Record<string, string>> = {
  matched: 'takes the event',
  later: 'fits too, but another route comes first',
  route_conflict: 'fits, but another connector holds one of its routes',
  not_registered: 'fits, but the service is not registered yet',
  disabled: 'fits, but it is off',
  no_connector: 'no connector wants it',
};

/** Why a route takes the event, or not. */
export const routeText = ({ outcome, field, wanted, given }: RouteVerdict): string => {
  if (outcome === 'field_missing') return `wants ${field}=${wanted}, which the event lacks`;
  if (outcome === 'field_differs') return `wants ${field}=${wanted}, not ${given}`;
  return ROUTES[outcome] ?? outcome;
};

export const routeTone = ({ outcome }: RouteVerdict): Tone => {
  if (outcome === 'matched') return 'good';
  return outcome === 'route_conflict' || outcome === 'not_registered' ? 'warn' : 'calm';
};

const OUTCOMES: Readonly<Record<Status, readonly [string, Tone]>> = {
  [Status.UNSPECIFIED]: ['fails', 'bad'],
  [Status.ACCEPTED]: ['accepted', 'good'],
  [Status.DUPLICATE]: ['duplicate', 'calm'],
  [Status.UNMATCHED]: ['unmatched', 'warn'],
  [Status.IGNORED]: ['ignored', 'calm'],
  [Status.REJECTED]: ['rejected', 'bad'],
};

/** What would become of an event, in a word. */
export const outcomeOf = (status: Status): { readonly word: string; readonly tone: Tone } => {
  const [word, tone] = OUTCOMES[status];
  return { word, tone };
};
