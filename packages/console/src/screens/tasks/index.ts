/** tasks: work that agents hand to each other, by phase. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

const boardRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/tasks',
  component: lazyRouteComponent(() => import('./tasks-page.tsx'), 'TasksPage'),
});

const taskRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/tasks/$name',
  component: lazyRouteComponent(() => import('./task-page.tsx'), 'TaskPage'),
});

export const tasksScreen = screen({
  routes: [boardRoute, taskRoute],
  sections: [{ label: 'Tasks', icon: 'task', group: 'Coordination', path: '/tasks', isScoped: true, letter: 'b' }],
});
