/** logs: what the server writes, as it writes it. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';
import { searchText } from '../../app/search-text.ts';

interface LogSearch {
  /** debug, info, warn or error: the least level that is shown. */
  readonly level?: string | undefined;
  /** Text that the lines contain. */
  readonly contains?: string | undefined;
}

const logsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/logs',
  validateSearch: (search: Record<string, unknown>): LogSearch => ({
    level: searchText(search['level']),
    contains: searchText(search['contains']),
  }),
  component: lazyRouteComponent(() => import('./logs-page.tsx'), 'LogsPage'),
});

export const logsScreen = screen({
  routes: [logsRoute],
  sections: [{ label: 'Logs', icon: 'log', group: 'Operation', path: '/logs', isScoped: false, letter: 'l' }],
});
