/** access: who the person is, API keys, and who may do what. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';
import { searchText } from '../../app/search-text.ts';

interface AccessSearch {
  /** `yes` lists keys that were revoked, too. */
  readonly revoked?: string | undefined;
  /** Namespace to which the listed grants reach. */
  readonly reach?: string | undefined;
}

const accessRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/access',
  validateSearch: (search: Record<string, unknown>): AccessSearch => ({
    revoked: searchText(search['revoked']),
    reach: searchText(search['reach']),
  }),
  component: lazyRouteComponent(() => import('./access-page.tsx'), 'AccessPage'),
});

export const accessScreen = screen({
  routes: [accessRoute],
  sections: [{ label: 'Access', icon: 'shield', group: 'Operation', path: '/access', isScoped: false }],
});
