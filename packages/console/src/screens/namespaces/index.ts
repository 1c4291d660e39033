/** namespaces: the tree of places, and how one is made, labelled, deleted, brought back and removed for good. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

interface NamespacesSearch {
  /** The namespace whose details are open. */
  readonly of?: string | undefined;
  /** `new` while one is made. */
  readonly form?: string | undefined;
  readonly find?: string | undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const namespacesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/namespaces',
  validateSearch: ({ of, form, find }: Record<string, unknown>): NamespacesSearch => ({
    of: textOf(of),
    form: textOf(form),
    find: textOf(find),
  }),
  component: lazyRouteComponent(() => import('./namespaces-page.tsx'), 'NamespacesPage'),
});

export const namespacesScreen = screen({
  routes: [namespacesRoute],
  sections: [
    { label: 'Namespaces', icon: 'box', group: 'Platform', path: '/namespaces', isScoped: false, letter: 'n' },
  ],
});
