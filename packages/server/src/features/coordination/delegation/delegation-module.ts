import type { Admission, CallWakes, SessionLifecycle } from '../../../runtime/contract.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { DelegationBook } from './delegation-book.ts';
import { delegationTools, type ShareArtifacts } from './delegation-tools.ts';
import { DelegationWorker } from './delegation-worker.ts';

interface DelegationModuleDeps {
  readonly store: Store;
  readonly admission: Admission;
  readonly lifecycle: SessionLifecycle;
  readonly wakes: CallWakes;
  readonly shareArtifacts: ShareArtifacts;
  readonly settings: { readonly 'a2a.maxDepth': number; readonly 'a2a.maxRounds': number };
}

/** The tools of agents with connections, and the worker that delivers replies and passes stops on. */
export const delegationModule = (deps: DelegationModuleDeps): FeatureModule => {
  const { settings, shareArtifacts } = deps;
  const book = new DelegationBook({
    ...deps,
    maxDepth: settings['a2a.maxDepth'],
    maxRounds: settings['a2a.maxRounds'],
  });
  return { workers: [new DelegationWorker(deps)], toolSources: [delegationTools({ book, shareArtifacts })] };
};
