import { replyModeOf } from '../subscription/index.ts';
import type { RouteOutcome, RoutingPlan } from './channel-routing.ts';

/** What became of one subscription, called or not. */
export interface SubscriptionOutcome {
  /** '' for the agent that a message is for whatever the subscriptions say. */
  readonly subscription: string;
  readonly agent: string;
  readonly trigger: string;
  readonly replyMode: string;
  /** `called`, `failed`, `loop_guard`, or what keeps the subscription from calling its agent. */
  readonly outcome: string;
  /** `REASON: text` of a route that failed, and of the guard. */
  readonly error: string;
}

/** What the plan of a message and the routes that were begun by it come to, for each subscription. */
export const subscriptionOutcomes = (
  { judged, guard }: RoutingPlan,
  routes: readonly RouteOutcome[],
): readonly SubscriptionOutcome[] => {
  const errors = new Map(routes.map(({ subscription, error }) => [subscription, error]));
  return judged.map(({ subscription: { name, spec }, word }) => {
    const error = word === 'called' ? guard || (errors.get(name) ?? '') : '';
    const stopped = guard === '' ? 'failed' : 'loop_guard';
    return {
      subscription: name,
      agent: spec.agent,
      trigger: spec.trigger,
      replyMode: replyModeOf(spec),
      outcome: error === '' ? word : stopped,
      error,
    };
  });
};
