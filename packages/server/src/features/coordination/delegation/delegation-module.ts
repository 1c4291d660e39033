import type { Log } from '../../../base/index.ts';
import type { PeerClient } from '../../../protocols/a2a/client-contract.ts';
import type { Admission, CallWakes, ObjectAccess, SessionLifecycle } from '../../../runtime/contract.ts';
import type { Bus, Store } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { DelegationBook } from './delegation-book.ts';
import { type ArtifactObjects, type AwaitTask, delegationTools, type ShareArtifacts } from './delegation-tools.ts';
import { delegationTrail } from './delegation-trail.ts';
import { DelegationWorker } from './delegation-worker.ts';
import { type KeepArtifact, PeerCourier, type ReadSecret } from './peer-courier.ts';
import type { PeerFilesDeps } from './peer-files.ts';
import { PeerPost } from './peer-post.ts';
import { PeerRecords } from './peer-records.ts';

interface DelegationModuleDeps {
  readonly store: Store;
  readonly bus: Pick<Bus, 'publish'>;
  readonly log: Log;
  readonly admission: Admission;
  readonly lifecycle: SessionLifecycle;
  readonly wakes: CallWakes;
  readonly shareArtifacts: ShareArtifacts;
  readonly artifactObjects: ArtifactObjects;
  readonly keepArtifact: KeepArtifact;
  readonly objects: Pick<ObjectAccess, 'hold' | 'read'>;
  readonly links: PeerFilesDeps['links'];
  readonly awaitTask: AwaitTask;
  /** Calls agents elsewhere. */
  readonly client: PeerClient;
  readonly secret: ReadSecret;
  /** Where this server is reached, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly settings: { readonly 'a2a.maxDepth': number; readonly 'a2a.maxRounds': number };
}

export interface DelegationModule extends FeatureModule {
  /** Ends requests to agents elsewhere; what they were for is taken up again by the next process. */
  close(): Promise<void>;
}

/** The tools of agents with connections, and the workers that deliver replies, pass stops on and carry messages elsewhere. */
export const delegationModule = (deps: DelegationModuleDeps): DelegationModule => {
  const { settings, shareArtifacts, artifactObjects, awaitTask } = deps;
  const post = new PeerPost(deps);
  const courier = new PeerCourier({ ...deps, records: new PeerRecords(deps) });
  const book = new DelegationBook({
    ...deps,
    post,
    maxDepth: settings['a2a.maxDepth'],
    maxRounds: settings['a2a.maxRounds'],
  });
  return {
    workers: [new DelegationWorker(deps), courier],
    trails: [delegationTrail],
    toolSources: [delegationTools({ book, post, shareArtifacts, artifactObjects, awaitTask })],
    close: () => courier.close(),
  };
};
