/** audit: who changed what and when. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';
import { searchText } from '../../app/search-text.ts';

/** What the address narrows the records to. */
export interface AuditSearch {
  readonly identity?: string | undefined;
  readonly operation?: string | undefined;
  /** Local times such as `2030-01-31T09:30`. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** `shown`: also what was only tried. */
  readonly dryRuns?: 'shown' | undefined;
}

const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/audit',
  validateSearch: (search: Record<string, unknown>): AuditSearch => ({
    identity: searchText(search['identity']),
    operation: searchText(search['operation']),
    since: searchText(search['since']),
    until: searchText(search['until']),
    dryRuns: search['dryRuns'] === 'shown' ? 'shown' : undefined,
  }),
  component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
});

export const auditScreen = screen({
  routes: [auditRoute],
  sections: [{ label: 'Audit', icon: 'list', group: 'Operation', path: '/audit', isScoped: true }],
});
