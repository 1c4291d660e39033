/** skills: instructions that agents take up when they need them, to read and to write. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

const skillsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/skills',
  validateSearch: ({ skill }: Record<string, unknown>): { readonly skill?: string | undefined } => ({
    skill: typeof skill === 'string' ? skill : undefined,
  }),
  component: lazyRouteComponent(() => import('./skills-page.tsx'), 'SkillsPage'),
});

export const skillsScreen = screen({
  routes: [skillsRoute],
  sections: [{ label: 'Skills', icon: 'spark', group: 'Knowledge', path: '/skills', isScoped: true, letter: 'z' }],
});
