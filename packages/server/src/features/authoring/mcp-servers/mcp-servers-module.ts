import type { FeatureModule } from '../../module-contract.ts';
import { type McpBindingOperationsDeps, mcpBindingOperations } from './binding-operations.ts';
import { type McpControllerDeps, mcpController } from './mcp-controller.ts';
import { type McpKindDeps, mcpContracts } from './mcp-kinds.ts';
import { type McpServerOperationsDeps, mcpServerOperations } from './server-operations.ts';

interface McpServersModuleDeps
  extends Omit<McpKindDeps, 'stdioNamespaces'>,
    McpControllerDeps,
    McpServerOperationsDeps,
    McpBindingOperationsDeps {
  readonly settings: { readonly 'mcp.stdioNamespaces': readonly string[] };
}

/** The kinds McpServer and McpServerBinding with their operations and conditions. */
export const mcpServersModule = (deps: McpServersModuleDeps): FeatureModule => ({
  kinds: mcpContracts({ ...deps, stdioNamespaces: deps.settings['mcp.stdioNamespaces'] }),
  reconcilers: [mcpController(deps)],
  operations: [...mcpServerOperations(deps), ...mcpBindingOperations(deps)],
});
