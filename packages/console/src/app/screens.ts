import { homeScreen } from '../screens/home/index.ts';
import { inboxScreen } from '../screens/inbox/index.ts';
import { namespacesScreen } from '../screens/namespaces/index.ts';
import { resourcesScreen } from '../screens/resources/index.ts';
import { trailScreen } from '../screens/trail/index.ts';

/** Every screen, in the order of the navigation. A new one is a folder in screens/ and its line here. */
export const screens = [homeScreen, inboxScreen, trailScreen, namespacesScreen, resourcesScreen] as const;
