/** deployments: templates rendered into many namespaces: which are meant, how each does, and what differs from what was rendered. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/deployments',
  component: lazyRouteComponent(() => import('./deployments-page.tsx'), 'DeploymentsPage'),
});

const deploymentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/deployments/$name',
  validateSearch: ({
    tab,
    replica,
  }: Record<string, unknown>): { readonly tab?: string | undefined; readonly replica?: string | undefined } => ({
    tab: textOf(tab),
    replica: textOf(replica),
  }),
  component: lazyRouteComponent(() => import('./deployment-page.tsx'), 'DeploymentPage'),
});

export const deploymentsScreen = screen({
  routes: [listRoute, deploymentRoute],
  sections: [
    { label: 'Deployments', icon: 'fork', group: 'Platform', path: '/deployments', isScoped: true, letter: 'p' },
  ],
});
