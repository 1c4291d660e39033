import type { FeatureModule } from '../../module-contract.ts';
import { type SearchToolsDeps, searchTools } from './search-tools.ts';

/** The tools `search` and `open_result`. */
export const searchModule = (deps: SearchToolsDeps): FeatureModule => ({ toolSources: [searchTools(deps)] });
