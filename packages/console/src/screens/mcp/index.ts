/** mcp: tool servers and their bindings: how they are, which tools are allowed, and who is signed in. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

const mcpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/mcp',
  validateSearch: ({ server }: Record<string, unknown>): { readonly server?: string | undefined } => ({
    server: typeof server === 'string' ? server : undefined,
  }),
  component: lazyRouteComponent(() => import('./mcp-page.tsx'), 'McpPage'),
});

export const mcpScreen = screen({
  routes: [mcpRoute],
  sections: [{ label: 'MCP servers', icon: 'tools', group: 'Platform', path: '/mcp', isScoped: true, letter: 'm' }],
});
