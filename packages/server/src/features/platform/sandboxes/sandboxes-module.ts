import type { FeatureModule, FollowedStatus } from '../../module-contract.ts';
import { type SandboxKindDeps, sandboxContracts } from './sandbox-kinds.ts';

/** Kinds whose status depends on others. */
const FOLLOWED: readonly { readonly kind: string; readonly follows: FollowedStatus['follows'] }[] = [
  { kind: 'SandboxClass', follows: { Secret: {} } },
  { kind: 'SandboxPolicy', follows: { SandboxClass: { presenceOnly: true } } },
];

/** The kinds SandboxClass, SandboxPolicy and Sandbox, which have no operations of their own. */
export const sandboxesModule = (deps: Omit<SandboxKindDeps, 'providerProblem'>): FeatureModule => {
  const kinds = sandboxContracts({
    ...deps,
    providerProblem: (provider) => `this process has no sandbox backend ${provider}`,
  });
  return {
    kinds,
    statuses: FOLLOWED.flatMap(({ kind, follows }) =>
      kinds.filter((contract) => contract.kind === kind).map((contract) => ({ contract, follows })),
    ),
  };
};
