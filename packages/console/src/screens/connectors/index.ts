/** connectors: services that bring messages of platforms, their routes, and replies on their way. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

/** Filters of deliveries, and the open one. */
export interface DeliverySearch {
  readonly state?: string | undefined;
  readonly connector?: string | undefined;
  /** Id of the open delivery. */
  readonly item?: string | undefined;
}

const connectorsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/connectors',
  component: lazyRouteComponent(() => import('./connectors-page.tsx'), 'ConnectorsPage'),
});

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const deliveriesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/deliveries',
  validateSearch: ({ state, connector, item }: Record<string, unknown>): DeliverySearch => ({
    state: textOf(state),
    connector: textOf(connector),
    item: textOf(item),
  }),
  component: lazyRouteComponent(() => import('./deliveries-page.tsx'), 'DeliveriesPage'),
});

export const connectorsScreen = screen({
  routes: [connectorsRoute, deliveriesRoute],
  sections: [
    { label: 'Connectors', icon: 'plug', group: 'Conversations', path: '/connectors', isScoped: true, letter: 'o' },
    { label: 'Deliveries', icon: 'send', group: 'Conversations', path: '/deliveries', isScoped: true, letter: 'd' },
  ],
});
