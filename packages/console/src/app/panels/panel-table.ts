import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** What a panel gets: the key from the address. */
export interface PanelProps {
  readonly panelKey: string;
}

type PanelView = LazyExoticComponent<ComponentType<PanelProps>>;

/** Every type of detail panel, loaded when one is opened first. */
export const panelTable: Readonly<Record<string, PanelView>> = {
  resource: lazy(async () => ({ default: (await import('../../screens/resources/resource-panel.tsx')).ResourcePanel })),
  'workflow-run': lazy(async () => ({ default: (await import('../../screens/workflows/run-panel.tsx')).RunPanel })),
  'run-step': lazy(async () => ({ default: (await import('../../screens/workflows/step-panel.tsx')).StepPanel })),
  session: lazy(async () => ({ default: (await import('../../screens/session/session-panel.tsx')).SessionPanel })),
  step: lazy(async () => ({ default: (await import('../../screens/session/prompt/step-panel.tsx')).StepPanel })),
  'api-key': lazy(async () => ({ default: (await import('../../screens/access/key-panel.tsx')).KeyPanel })),
  'audit-record': lazy(async () => ({ default: (await import('../../screens/audit/audit-panel.tsx')).AuditPanel })),
  worker: lazy(async () => ({ default: (await import('../../screens/workers/worker-panel.tsx')).WorkerPanel })),
  'explain-event': lazy(async () => ({
    default: (await import('../../screens/explain/explain-event-panel.tsx')).ExplainEventPanel,
  })),
  'explain-message': lazy(async () => ({
    default: (await import('../../screens/explain/explain-message-panel.tsx')).ExplainMessagePanel,
  })),
  sandbox: lazy(async () => ({ default: (await import('../../screens/sandboxes/sandbox-panel.tsx')).SandboxPanel })),
};
