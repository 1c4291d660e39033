import { accessScreen } from '../screens/access/index.ts';
import { agentsScreen } from '../screens/agents/index.ts';
import { auditScreen } from '../screens/audit/index.ts';
import { channelsScreen } from '../screens/channels/index.ts';
import { connectorsScreen } from '../screens/connectors/index.ts';
import { deploymentsScreen } from '../screens/deployments/index.ts';
import { filesScreen } from '../screens/files/index.ts';
import { homeScreen } from '../screens/home/index.ts';
import { inboxScreen } from '../screens/inbox/index.ts';
import { knowledgeScreen } from '../screens/knowledge/index.ts';
import { logsScreen } from '../screens/logs/index.ts';
import { mcpScreen } from '../screens/mcp/index.ts';
import { namespacesScreen } from '../screens/namespaces/index.ts';
import { resourcesScreen } from '../screens/resources/index.ts';
import { sandboxesScreen } from '../screens/sandboxes/index.ts';
import { schedulesScreen } from '../screens/schedules/index.ts';
import { secretsScreen } from '../screens/secrets/index.ts';
import { sessionScreen } from '../screens/session/index.ts';
import { sessionsScreen } from '../screens/sessions/index.ts';
import { settingsScreen } from '../screens/settings/index.ts';
import { skillsScreen } from '../screens/skills/index.ts';
import { tasksScreen } from '../screens/tasks/index.ts';
import { trailScreen } from '../screens/trail/index.ts';
import { usageScreen } from '../screens/usage/index.ts';
import { workersScreen } from '../screens/workers/index.ts';
import { workflowsScreen } from '../screens/workflows/index.ts';

/** Every screen, in the order of the navigation. A new one is a folder in screens/ and its line here. */
export const screens = [
  homeScreen,
  inboxScreen,
  trailScreen,
  sessionsScreen,
  sessionScreen,
  agentsScreen,
  channelsScreen,
  connectorsScreen,
  schedulesScreen,
  workflowsScreen,
  tasksScreen,
  knowledgeScreen,
  skillsScreen,
  filesScreen,
  secretsScreen,
  mcpScreen,
  namespacesScreen,
  resourcesScreen,
  deploymentsScreen,
  sandboxesScreen,
  workersScreen,
  usageScreen,
  accessScreen,
  auditScreen,
  logsScreen,
  settingsScreen,
] as const;
