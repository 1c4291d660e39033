/** channels: rooms, what is said in them, and which agents answer. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.ts';
import { screen } from '../../app/screen.ts';

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/channels',
  component: lazyRouteComponent(() => import('./channels-page.tsx'), 'ChannelsPage'),
});

const channelRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ns/$ns/channels/$name',
  component: lazyRouteComponent(() => import('./channel-page.tsx'), 'ChannelPage'),
});

export const channelsScreen = screen({
  routes: [listRoute, channelRoute],
  sections: [
    { label: 'Channels', icon: 'channel', group: 'Conversations', path: '/channels', isScoped: true, letter: 'c' },
  ],
});
