/** settings: how this installation is set, checked and cared for, and how the page looks for this person. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';
import { searchText } from '../../app/search-text.ts';

interface SettingsSearch {
  /** Part of a key or value. */
  readonly filter?: string | undefined;
  /** `set` lists only what differs from the default. */
  readonly only?: string | undefined;
}

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  validateSearch: (search: Record<string, unknown>): SettingsSearch => ({
    filter: searchText(search['filter']),
    only: searchText(search['only']),
  }),
  component: lazyRouteComponent(() => import('./settings-page.tsx'), 'SettingsPage'),
});

export const settingsScreen = screen({
  routes: [settingsRoute],
  sections: [{ label: 'Settings', icon: 'gear', group: 'Operation', path: '/settings', isScoped: false, letter: ',' }],
});
