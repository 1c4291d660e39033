/** resources: lists of every kind, and what one of them is. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/resources/$kind',
  validateSearch: ({ selector }: Record<string, unknown>): { readonly selector?: string | undefined } =>
    typeof selector === 'string' ? { selector } : {},
  component: lazyRouteComponent(() => import('./resources-page.tsx'), 'ResourcesPage'),
});

export const resourcesScreen = screen({
  routes: [listRoute],
  sections: [
    {
      label: 'Resources',
      icon: 'layers',
      group: 'Platform',
      path: '/resources/Agent',
      isScoped: true,
      letter: 'r',
    },
  ],
});
