import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { RouteVerdictSchema, SubscriptionVerdictSchema } from '@svc/api/data';
import { describe, expect, it } from 'vitest';
import { explainableOf, explainKey } from './explain-key.ts';
import { routeText, routeTone, subscriptionText, subscriptionTone } from './verdict-texts.ts';

const subscription = (init: MessageInitShape<typeof SubscriptionVerdictSchema>) =>
  create(SubscriptionVerdictSchema, init);
const route = (init: MessageInitShape<typeof RouteVerdictSchema>) => create(RouteVerdictSchema, init);

describe('what is said of', () => {
  it('subscriptions: what calls the agent, what keeps it from that, and what fails', () => {
    const called = subscription({ outcome: 'called', trigger: 'mention' });
    expect([subscriptionText(called), subscriptionTone(called)]).toEqual(['it is mentioned', 'good']);
    const silent = subscription({ outcome: 'not_named', trigger: 'manual' });
    expect([subscriptionText(silent), subscriptionTone(silent)]).toEqual(['it is called by name only', 'calm']);
    const stopped = subscription({ outcome: 'loop_guard', trigger: 'all', error: 'LOOP_GUARD: too many' });
    expect([subscriptionText(stopped), subscriptionTone(stopped)]).toEqual(['LOOP_GUARD: too many', 'bad']);
    expect(subscriptionText(subscription({ outcome: 'of_a_later_release' }))).toBe('of_a_later_release');
  });

  it('routes: the field that does not fit, or what keeps a route that does', () => {
    const field = { field: 'team', wanted: 'T1', given: 'T2' };
    expect(routeText(route({ outcome: 'field_differs', ...field }))).toBe('wants team=T1, not T2');
    expect(routeText(route({ outcome: 'field_missing', ...field, given: '' }))).toBe(
      'wants team=T1, which the event lacks',
    );
    const held = route({ outcome: 'route_conflict' });
    expect([routeText(held), routeTone(held)]).toEqual(['fits, but another connector holds one of its routes', 'warn']);
    expect(routeTone(route({ outcome: 'matched' }))).toBe('good');
    expect(routeText(route({ outcome: 'of_a_later_release' }))).toBe('of_a_later_release');
  });

  it('a thing, by the key of its panel', () => {
    expect(explainableOf(explainKey({ ns: 'shop:north', name: 'desk' }))).toEqual({ ns: 'shop:north', name: 'desk' });
  });
});
