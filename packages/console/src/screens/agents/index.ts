/** agents: who answers, with which model, tools and rules; how much they use, and where they are used. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/agents',
  validateSearch: ({ find }: Record<string, unknown>): { readonly find?: string | undefined } => ({
    find: textOf(find),
  }),
  component: lazyRouteComponent(() => import('./agents-page.tsx'), 'AgentsPage'),
});

const agentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/agents/$name',
  validateSearch: ({
    tab,
    test,
    tool,
  }: Record<string, unknown>): {
    readonly tab?: string | undefined;
    readonly test?: string | undefined;
    readonly tool?: string | undefined;
  } => ({
    tab: textOf(tab),
    test: textOf(test),
    tool: textOf(tool),
  }),
  component: lazyRouteComponent(() => import('./agent-page.tsx'), 'AgentPage'),
});

export const agentsScreen = screen({
  routes: [listRoute, agentRoute],
  sections: [{ label: 'Agents', icon: 'agent', group: 'Conversations', path: '/agents', isScoped: true, letter: 'a' }],
});
