import type { FeatureModule } from '../../module-contract.ts';
import { type ToolGrantDeps, toolGrant } from './tool-grant.ts';
import { workflowContract } from './workflow-kind.ts';
import { workflowOperations } from './workflow-operations.ts';

interface WorkflowsModuleDeps extends ToolGrantDeps {
  readonly settings: {
    /** In bytes. */
    readonly 'limits.workflowDefinitionMax': number;
    readonly 'limits.stepsMax': number;
  };
}

/** The kind Workflow and its operations. */
export const workflowsModule = (deps: WorkflowsModuleDeps): FeatureModule => {
  const { settings } = deps;
  const contract = workflowContract({
    limits: { definitionBytes: settings['limits.workflowDefinitionMax'], steps: settings['limits.stepsMax'] },
    isToolGranted: toolGrant(deps),
  });
  const local = { presenceOnly: true, sameNamespace: true };
  const follows = { Agent: local, Workflow: local, McpServer: {}, McpServerBinding: {}, Namespace: {} };
  return { kinds: [contract], statuses: [{ contract, follows }], operations: workflowOperations };
};
