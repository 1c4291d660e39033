/** files: stored bytes of a namespace in their folders: look at them, upload, download, delete. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

const filesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/files',
  validateSearch: ({
    file,
    purpose,
  }: Record<string, unknown>): { readonly file?: string | undefined; readonly purpose?: string | undefined } => ({
    file: typeof file === 'string' ? file : undefined,
    purpose: typeof purpose === 'string' ? purpose : undefined,
  }),
  component: lazyRouteComponent(() => import('./files-page.tsx'), 'FilesPage'),
});

export const filesScreen = screen({
  routes: [filesRoute],
  sections: [{ label: 'Files', icon: 'file', group: 'Knowledge', path: '/files', isScoped: true, letter: 'f' }],
});
