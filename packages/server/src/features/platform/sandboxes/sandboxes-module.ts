import type { FeatureModule } from '../../module-contract.ts';
import { type SandboxKindDeps, sandboxContracts } from './sandbox-kinds.ts';

/** The kinds SandboxClass, SandboxPolicy and Sandbox, which have no operations of their own. */
export const sandboxesModule = (deps: Omit<SandboxKindDeps, 'providerProblem'>): FeatureModule => ({
  kinds: sandboxContracts({
    ...deps,
    providerProblem: (provider) => `this process has no sandbox backend ${provider}`,
  }),
});
