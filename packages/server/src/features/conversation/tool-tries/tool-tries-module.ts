import { ToolService } from '@svc/api/gateway';
import { operation, operator, viewer } from '../../../operations/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { listAgentTools } from './list-agent-tools.ts';
import type { ToolTriesDeps } from './tool-tries-deps.ts';
import { tryTool, WAIT_DEFAULT_SECONDS } from './try-tool.ts';

interface ToolTriesModuleDeps extends Omit<ToolTriesDeps, 'keptHours'> {
  readonly settings: {
    /** Milliseconds. */
    readonly 'idempotency.hours': number;
  };
}

const MS_PER_HOUR = 3_600_000;

/** ListAgentTools and TryTool. */
export const toolTriesModule = ({ settings, ...rest }: ToolTriesModuleDeps): FeatureModule => {
  const deps = { ...rest, keptHours: settings['idempotency.hours'] / MS_PER_HOUR };
  const { method } = ToolService;
  return {
    operations: [
      operation(method.listAgentTools, {
        access: viewer('fields'),
        handle: (request, context) => listAgentTools(deps, request, context),
      }),
      operation(method.tryTool, {
        access: operator('fields'),
        repeatable: true,
        waits: ({ waitSeconds }) => waitSeconds || WAIT_DEFAULT_SECONDS,
        handle: (request, context) => tryTool(deps, request, context),
      }),
    ],
  };
};
