/** secrets: keys of hidden values, how they are set, shown to those who may, and where they are used. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

const secretsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/secrets',
  validateSearch: ({ secret }: Record<string, unknown>): { readonly secret?: string | undefined } => ({
    secret: typeof secret === 'string' ? secret : undefined,
  }),
  component: lazyRouteComponent(() => import('./secrets-page.tsx'), 'SecretsPage'),
});

export const secretsScreen = screen({
  routes: [secretsRoute],
  sections: [{ label: 'Secrets', icon: 'key', group: 'Platform', path: '/secrets', isScoped: true, letter: 'v' }],
});
