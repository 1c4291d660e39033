/** home: what needs the person first, and what happens. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
});

export const homeScreen = screen({
  routes: [homeRoute],
  sections: [{ label: 'Home', icon: 'home', group: 'Now', path: '/', isScoped: false, letter: 'h' }],
});
