/** sandboxes: where agents run code, who holds which, and what runs in them. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';
import { searchText } from '../../app/search-text.ts';

const sandboxesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/sandboxes',
  validateSearch: ({ show }: Record<string, unknown>): { readonly show?: string | undefined } => ({
    show: searchText(show),
  }),
  component: lazyRouteComponent(() => import('./sandboxes-page.tsx'), 'SandboxesPage'),
});

export const sandboxesScreen = screen({
  routes: [sandboxesRoute],
  sections: [{ label: 'Sandboxes', icon: 'box', group: 'Operation', path: '/sandboxes', isScoped: true }],
});
