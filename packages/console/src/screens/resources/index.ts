/** resources: lists of every kind, what one of them is, and the text to change it or to make a new one. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

interface ListSearch {
  readonly selector?: string | undefined;
  readonly phase?: string | undefined;
  readonly recursive?: string | undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/resources/$kind',
  validateSearch: ({ selector, phase, recursive }: Record<string, unknown>): ListSearch => ({
    selector: textOf(selector),
    phase: textOf(phase),
    recursive: textOf(recursive),
  }),
  component: lazyRouteComponent(() => import('./resources-page.tsx'), 'ResourcesPage'),
});

const resourceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/resources/$kind/$name',
  validateSearch: ({
    view,
    parent,
  }: Record<string, unknown>): { readonly view?: string | undefined; readonly parent?: string | undefined } => ({
    view: textOf(view),
    parent: textOf(parent),
  }),
  component: lazyRouteComponent(() => import('./resource-page.tsx'), 'ResourcePage'),
});

const newRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/new/$kind',
  component: lazyRouteComponent(() => import('./new-resource-page.tsx'), 'NewResourcePage'),
});

export const resourcesScreen = screen({
  routes: [listRoute, resourceRoute, newRoute],
  sections: [
    {
      label: 'Resources',
      icon: 'layers',
      group: 'Platform',
      path: '/resources/Agent',
      isScoped: true,
      letter: 'r',
    },
  ],
});

export { badConditions, conditionsOf, isBadCondition } from './conditions.ts';
export { createdAt } from './created-at.ts';
export { DeleteResource } from './delete-resource.tsx';
export { keptMetadata } from './manifest/index.ts';
export { phaseOf, toneOfPhase } from './phase.ts';
export {
  addressOfResource,
  addressText,
  commandOf,
  pathOf,
  useEveryResource,
  useResource,
  useResources,
} from './resource-data.ts';
export { ResourceLink } from './resource-link.tsx';
export { ResourceOverview } from './resource-overview.tsx';
export { ResourceShelf } from './resource-shelf.tsx';
export { writtenYamlOf, yamlOf, yamlText } from './yaml-of.ts';
