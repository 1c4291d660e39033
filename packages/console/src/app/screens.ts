import { homeScreen } from '../screens/home/index.ts';
import { namespacesScreen } from '../screens/namespaces/index.ts';
import { resourcesScreen } from '../screens/resources/index.ts';
import { sessionScreen } from '../screens/session/index.ts';
import { sessionsScreen } from '../screens/sessions/index.ts';

/** Every screen, in the order of the navigation. A new one is a folder in screens/ and its line here. */
export const screens = [homeScreen, sessionsScreen, sessionScreen, namespacesScreen, resourcesScreen] as const;
