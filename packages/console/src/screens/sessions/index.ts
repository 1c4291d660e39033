/** sessions: the conversations of a namespace or of one agent, and where a new one begins. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';
import { searchText } from '../../app/search-text.ts';

export const STATES = ['Idle', 'Processing', 'Waiting'] as const;
export type SessionState = (typeof STATES)[number];

interface SessionsSearch {
  readonly agent?: string | undefined;
  readonly selector?: string | undefined;
  readonly state?: SessionState | undefined;
  /** Words that messages are searched for. */
  readonly find?: string | undefined;
}

const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/sessions',
  validateSearch: ({ agent, selector, state, find }: Record<string, unknown>): SessionsSearch => ({
    agent: typeof agent === 'string' ? agent : undefined,
    selector: typeof selector === 'string' ? selector : undefined,
    state: STATES.find((known) => known === state),
    find: searchText(find),
  }),
  component: lazyRouteComponent(() => import('./sessions-page.tsx'), 'SessionsPage'),
});

export const sessionsScreen = screen({
  routes: [sessionsRoute],
  sections: [
    {
      label: 'Sessions',
      icon: 'chat',
      group: 'Conversations',
      path: '/sessions',
      isScoped: true,
      also: ['/agents/$agent/sessions'],
      letter: 's',
    },
  ],
});
