/** schedules: what starts by itself, when it runs next, and what came of it. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

interface SchedulesSearch {
  /** Only those whose last run failed. */
  readonly show?: 'failing' | undefined;
}

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/schedules',
  validateSearch: ({ show }: Record<string, unknown>): SchedulesSearch => ({
    show: show === 'failing' ? show : undefined,
  }),
  component: lazyRouteComponent(() => import('./schedules-page.tsx'), 'SchedulesPage'),
});

const scheduleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/schedules/$name',
  component: lazyRouteComponent(() => import('./schedule-page.tsx'), 'SchedulePage'),
});

export const schedulesScreen = screen({
  routes: [listRoute, scheduleRoute],
  sections: [
    { label: 'Schedules', icon: 'clock', group: 'Coordination', path: '/schedules', isScoped: true, letter: 'e' },
  ],
});
