import type { ApprovalMode, ToolCapability, ToolGrants } from '../../../tools/contract.ts';
import type { FeatureModule } from '../../module-contract.ts';
import type { SearchSource } from './search-contract.ts';
import { searchTools } from './search-tools.ts';

export interface SearchModuleDeps {
  readonly sources: readonly SearchSource[];
  /** Approval of an action, undefined where nothing grants it. */
  readonly approvalOf: (capabilities: ToolGrants['capabilities'], wanted: ToolCapability) => ApprovalMode | undefined;
}

/** The tools `search` and `open_result`. */
export const searchModule = (deps: SearchModuleDeps): FeatureModule => ({ toolSources: [searchTools(deps)] });
