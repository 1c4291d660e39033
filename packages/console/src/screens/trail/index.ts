/** trail: what became of a message, from where it came in to where it went out. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

interface TrailSearch {
  readonly ns?: string | undefined;
  /** Id of any record: a message, turn, run, delivery, task or `schedule@instant`. */
  readonly id?: string | undefined;
}

const trailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/trail',
  validateSearch: ({ ns, id }: Record<string, unknown>): TrailSearch => ({
    ns: typeof ns === 'string' ? ns : undefined,
    id: typeof id === 'string' ? id : undefined,
  }),
  component: lazyRouteComponent(() => import('./trail-page.tsx'), 'TrailPage'),
});

export const trailScreen = screen({
  routes: [trailRoute],
  sections: [{ label: 'Trail', icon: 'trail', group: 'Now', path: '/trail', isScoped: false, letter: 't' }],
});
