/** inbox: everything that waits for a person, in all namespaces. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';
import { inboxSearch } from './inbox-item.ts';

const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox',
  validateSearch: inboxSearch,
  component: lazyRouteComponent(() => import('./inbox-page.tsx'), 'InboxPage'),
});

export const inboxScreen = screen({
  routes: [inboxRoute],
  sections: [{ label: 'Inbox', icon: 'inbox', group: 'Now', path: '/inbox', isScoped: false, letter: 'i' }],
});
export { HeldAnswers } from './held-detail.tsx';
export { useInbox } from './inbox-data.ts';
export { heldItem, type InboxItem, type InboxKind } from './inbox-item.ts';
export { kindNames } from './texts.ts';
