import { accessScreen } from '../screens/access/index.ts';
import { auditScreen } from '../screens/audit/index.ts';
import { homeScreen } from '../screens/home/index.ts';
import { logsScreen } from '../screens/logs/index.ts';
import { namespacesScreen } from '../screens/namespaces/index.ts';
import { resourcesScreen } from '../screens/resources/index.ts';
import { sandboxesScreen } from '../screens/sandboxes/index.ts';
import { settingsScreen } from '../screens/settings/index.ts';
import { usageScreen } from '../screens/usage/index.ts';
import { workersScreen } from '../screens/workers/index.ts';
import { workflowsScreen } from '../screens/workflows/index.ts';

/** Every screen, in the order of the navigation. A new one is a folder in screens/ and its line here. */
export const screens = [
  homeScreen,
  namespacesScreen,
  resourcesScreen,
  workflowsScreen,
  usageScreen,
  accessScreen,
  auditScreen,
  sandboxesScreen,
  workersScreen,
  logsScreen,
  settingsScreen,
] as const;
