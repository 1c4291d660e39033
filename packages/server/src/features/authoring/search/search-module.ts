import type { FeatureModule } from '../../module-contract.ts';
import { type SearchSessionsDeps, searchSessionsOperation } from './search-sessions.ts';
import { type SearchToolsDeps, searchTools } from './search-tools.ts';

/** The tools `search` and `open_result`, and the operation SearchSessions. */
export const searchModule = (deps: SearchToolsDeps & SearchSessionsDeps): FeatureModule => ({
  toolSources: [searchTools(deps)],
  operations: [searchSessionsOperation(deps)],
});
