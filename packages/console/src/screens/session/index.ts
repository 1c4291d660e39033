/** session: one conversation; the chat, the timeline of its turns, and what the model saw at each step. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

export const VIEWS = ['chat', 'timeline', 'json'] as const;
export type SessionView = (typeof VIEWS)[number];

/** Address of a session. */
export const SESSION_PATH = '/ns/$ns/agents/$agent/sessions/$sessionId';

interface SessionSearch {
  /** Chat when absent. */
  readonly view?: SessionView | undefined;
  /** `1`: only the chat, for people who only talk. */
  readonly plain?: string | undefined;
  /** Message to begin at. */
  readonly message?: string | undefined;
  /** Turn that is open in the timeline. */
  readonly turn?: string | undefined;
  /** `1`: only turns that failed. */
  readonly failed?: string | undefined;
}

const textAt = (search: Record<string, unknown>, name: string): string | undefined => {
  const value = search[name];
  return typeof value === 'string' ? value : undefined;
};

const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: SESSION_PATH,
  validateSearch: (search: Record<string, unknown>): SessionSearch => ({
    view: VIEWS.find((view) => view === search['view']),
    plain: textAt(search, 'plain'),
    message: textAt(search, 'message'),
    turn: textAt(search, 'turn'),
    failed: textAt(search, 'failed'),
  }),
  component: lazyRouteComponent(() => import('./session-page.tsx'), 'SessionPage'),
});

export const sessionScreen = screen({ routes: [sessionRoute], sections: [] });
