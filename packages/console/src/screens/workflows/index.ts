/** workflows: graphs of steps as text and picture, and their runs. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';
import { searchText } from '../../app/search-text.ts';

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/workflows',
  component: lazyRouteComponent(() => import('./workflows-page.tsx'), 'WorkflowsPage'),
});

/** Names of resources have no tilde, so that no workflow is hidden by this address. */
const newRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/workflows/~new',
  component: lazyRouteComponent(() => import('./new-workflow-page.tsx'), 'NewWorkflowPage'),
});

const oneRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/workflows/$name',
  validateSearch: (search: Record<string, unknown>): FlowSearch => ({
    tab: searchText(search['tab']),
    step: searchText(search['step']),
    state: searchText(search['state']),
  }),
  component: lazyRouteComponent(() => import('./workflow-page.tsx'), 'WorkflowPage'),
});

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/workflows/$name/runs/$runId',
  component: lazyRouteComponent(() => import('./run-page.tsx'), 'RunPage'),
});

interface FlowSearch {
  /** `runs`, else the definition. */
  readonly tab?: string | undefined;
  /** Id of the chosen step. */
  readonly step?: string | undefined;
  /** State that the listed runs have. */
  readonly state?: string | undefined;
}

export const workflowsScreen = screen({
  routes: [listRoute, newRoute, oneRoute, runRoute],
  sections: [
    { label: 'Workflows', icon: 'flow', group: 'Coordination', path: '/workflows', isScoped: true, letter: 'w' },
  ],
});
