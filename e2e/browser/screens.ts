import type { Seeded } from './seed/index.ts';

/** A screen as the suite visits it. */
interface Screen {
  /** Names its pictures in docs/screenshots. */
  readonly name: string;
  /** Where it is, in the seeded shop. */
  readonly address: (seeded: Seeded) => string;
  /** A text that is on it once it shows what it is for. */
  readonly shows: string | RegExp;
  /** An operation that it calls at once and that the server refuses to a viewer. */
  readonly refused?: string;
}

const at = (name: string, address: string | ((seeded: Seeded) => string), shows: string | RegExp): Screen => ({
  name,
  address: typeof address === 'string' ? () => address : address,
  shows,
});

/** An address with a detail panel next to its screen. */
const withPanel = (address: string, type: string, key: string): string =>
  `${address}${address.includes('?') ? '&' : '?'}panel=${encodeURIComponent(`${type} ${encodeURIComponent(key)}`)}`;

const refusing = (refused: string, screen: Screen): Screen => ({ ...screen, refused });

/** Every screen of the console. A new one gets its line here: the suite then visits, judges, photographs and clicks through it. */
export const screens: readonly Screen[] = [
  at('home', '/', 'Home'),
  at('inbox', '/inbox', 'create_goal'),
  at('trail', ({ heldEvent }) => `/trail?ns=shop&id=${heldEvent}`, 'Trail'),
  at('sessions', '/ns/shop/sessions', 'support'),
  at('session', ({ session }) => `/ns/shop/agents/support/sessions/${session}`, '238 EUR'),
  at('session-waiting', ({ waitingSession }) => `/ns/shop/agents/support/sessions/${waitingSession}`, 'create_goal'),
  at('session-failed', ({ failedSession }) => `/ns/shop/agents/broken/sessions/${failedSession}`, 'Is anyone there?'),
  at('session-held', ({ heldSession }) => `/ns/shop/agents/support/sessions/${heldSession}`, /money back/),
  at(
    'session-fork',
    ({ session, fork }) => withPanel(`/ns/shop/agents/support/sessions/${session}`, 'session', `shop/support/${fork}`),
    'Fork of support',
  ),
  at('sessions-found', '/ns/shop/sessions?find=238+eur', '238 EUR'),
  at('agents', '/ns/shop/agents', 'support'),
  at('agent', '/ns/shop/agents/support', 'support'),
  at('agent-tools', '/ns/shop/agents/support?tab=effective&tool=calculate', 'calculate'),
  at('workflows', '/ns/shop/workflows', 'refund'),
  at('workflow', '/ns/shop/workflows/refund', 'letter'),
  at('new-workflow', '/ns/shop/workflows/~new', /new workflow/i),
  at('workflow-start', withPanel('/ns/shop/workflows/refund', 'workflow-run', 'shop/refund'), 'A large refund'),
  at('workflow-run', ({ waitingRun }) => `/ns/shop/workflows/refund/runs/${waitingRun}`, 'approve'),
  at('workflow-run-failed', ({ failedRun }) => `/ns/shop/workflows/failing/runs/${failedRun}`, 'divide'),
  at('knowledge', '/ns/shop/knowledge', /shipping/),
  at('skills', '/ns/shop/skills', 'refunds'),
  at('files', '/ns/shop/files', /letters/),
  at('channels', '/ns/shop/channels', 'desk'),
  at('channel', '/ns/shop/channels/desk', /order A7 came back/),
  at('explain-message', withPanel('/ns/shop/channels/desk', 'explain-message', 'shop/desk'), 'What would happen'),
  at('connectors', '/ns/shop/connectors', 'reviewed'),
  at('explain-event', withPanel('/ns/shop/connectors', 'explain-event', 'shop/front'), 'What would happen'),
  at('deliveries', '/ns/shop/deliveries', /dead/i),
  at('schedules', '/ns/shop/schedules', 'morning'),
  at('schedule', '/ns/shop/schedules/morning', 'morning'),
  at('tasks', '/ns/shop/tasks', /Count the stock/),
  at('task', '/ns/shop/tasks/count-stock', /Count the stock/),
  at('secrets', '/ns/shop/secrets', 'platform'),
  at('mcp', '/ns/shop/mcp', 'stock'),
  at('deployments', '/ns/shop/deployments', 'branches'),
  at('deployment', '/ns/shop/deployments/branches', 'branches'),
  at('sandboxes', '/ns/shop/sandboxes', 'Sandboxes'),
  at('sandbox', withPanel('/ns/shop/sandboxes', 'sandbox', 'shop/bench'), 'Processes'),
  at('usage', '/ns/shop/usage', 'Usage'),
  refusing('ListAuditRecords', at('audit', '/ns/shop/audit', 'Audit')),
  at('workers', '/workers', 'Workers'),
  at('worker', ({ worker }) => withPanel('/workers', 'worker', worker), 'Holds now'),
  refusing('ListApiKeys', at('access', '/access', 'Access')),
  refusing('logs:stream', at('logs', '/logs', 'Logs')),
  at('settings', '/settings', 'Settings'),
  at('namespaces', '/namespaces', 'shop:north'),
  at('resources', '/ns/shop/resources/Agent', 'support'),
  at('resource', '/ns/shop/resources/Agent/support', 'support'),
  at('resource-panel', withPanel('/ns/shop/resources/Workflow', 'resource', 'Workflow/shop/refund'), 'refund'),
  at('new-resource', '/ns/shop/new/Agent', 'Agent'),
  at('not-found', '/no/such/screen', /not/i),
];

/** Where all screens are, in the seeded shop. */
export const addressesOf = (seeded: Seeded): readonly string[] => screens.map(({ address }) => address(seeded));
