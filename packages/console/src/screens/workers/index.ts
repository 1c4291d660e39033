/** workers: the processes that do the work. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

const workersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/workers',
  component: lazyRouteComponent(() => import('./workers-page.tsx'), 'WorkersPage'),
});

export const workersScreen = screen({
  routes: [workersRoute],
  sections: [{ label: 'Workers', icon: 'server', group: 'Operation', path: '/workers', isScoped: false }],
});
