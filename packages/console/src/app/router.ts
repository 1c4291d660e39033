import { createRouter } from '@tanstack/react-router';
import { Loading } from '../ui/loading.tsx';
import { NotFound } from './not-found.tsx';
import { rootRoute } from './root-route.ts';
import { RouteProblem } from './route-problem.tsx';
import { screens } from './screens.ts';
import { Shell } from './shell/shell.tsx';

const routeTree = rootRoute.update({ component: Shell }).addChildren(screens.flatMap(({ routes }) => [...routes]));

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: RouteProblem,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
  // Plain texts in the address instead of JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const present = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: typeof router;
  }
}
