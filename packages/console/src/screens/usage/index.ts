/** usage: what the limits leave, and what model calls used, by whom and when. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';
import { searchText } from '../../app/search-text.ts';

interface UsageSearch {
  /** agent, model, identity or namespace. */
  readonly by?: string | undefined;
  /** Days up to now. */
  readonly days?: string | undefined;
  /** `cost` or `tokens`, what the chart shows. */
  readonly of?: string | undefined;
}

const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/usage',
  validateSearch: (search: Record<string, unknown>): UsageSearch => ({
    by: searchText(search['by']),
    days: searchText(search['days']),
    of: searchText(search['of']),
  }),
  component: lazyRouteComponent(() => import('./usage-page.tsx'), 'UsagePage'),
});

export const usageScreen = screen({
  routes: [usageRoute],
  sections: [{ label: 'Usage', icon: 'chart', group: 'Operation', path: '/usage', isScoped: true, letter: 'u' }],
});
