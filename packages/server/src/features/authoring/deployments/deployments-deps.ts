import type { Log } from '../../../base/index.ts';
import type { AppendAudit, KindContract, NamespaceFacts, ResourceWriter } from '../../../controllers/contract.ts';
import type { ValueHash, ValueSeal } from '../../../resources/index.ts';
import type { ReadTx, Store, StoredResource } from '../../../store/contracts/index.ts';
import type { DeploymentLimits, TargetNamespace } from './deployment-rules.ts';

type Reads = Pick<ReadTx, 'resources'>;

/** What deployments ask about namespaces. */
export interface TargetNamespaces extends Pick<NamespaceFacts, 'ancestors'> {
  /** State of a namespace or tombstone; undefined when there is no record. */
  find(reads: Reads, namespace: string): Promise<TargetNamespace | undefined>;
  /** Namespaces directly below one ('' = the roots) by name, tombstones included. */
  children(reads: Reads, parent: string): Promise<readonly TargetNamespace[]>;
  /** What a record of a namespace says, also the last one of a namespace that is gone. */
  stateOf(record: StoredResource): TargetNamespace;
}

export interface DeploymentsDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'direct' | 'now'>;
  readonly writer: ResourceWriter;
  readonly audit: AppendAudit;
  readonly namespaces: TargetNamespaces;
  /** Rules of the kinds that templates hold. */
  readonly contractOf: (kind: string) => KindContract | undefined;
  readonly seal: Pick<ValueSeal, 'open'>;
  readonly hash: ValueHash;
  readonly limits: DeploymentLimits;
  readonly log: Log;
}
