import type { Message } from '@bufbuild/protobuf';
import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import type { Clock } from '../../../base/index.ts';
import type { AppendAudit, ChangeFeed, ResourceWriter } from '../../../controllers/contract.ts';
import type { ResourceViews } from '../../../resources/index.ts';
import type {
  ReadTx,
  ResourceChange,
  ResourceKey,
  Store,
  StoredResource,
  WriteTx,
} from '../../../store/contracts/index.ts';
import type { ReaderLimits } from '../../../streams/index.ts';
import type { DescendantsOf } from './resource-scope.ts';

/** What the namespaces feature does for this one. */
interface NamespaceFacade {
  /** As DeleteNamespace; answers the tombstone. */
  remove(
    tx: WriteTx,
    context: CallContext,
    input: { readonly name: string; readonly purge: boolean; readonly resourceVersion?: string },
  ): Promise<StoredResource>;
  /** As CreateNamespace; called only for names without a record. */
  create(
    tx: WriteTx,
    context: CallContext,
    input: {
      readonly name: string;
      readonly parent: string;
      readonly recursive: boolean;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    },
  ): Promise<StoredResource>;
  readonly descendants: DescendantsOf;
  /** For one reader of the change log; `isOver` = it has gone. */
  readonly pastAncestry: (isOver: () => boolean) => PastAncestors;
}

/** Ancestors that namespaces had when changes were written, which follow each other in version order. */
export interface PastAncestors {
  /** Looks up what changes of the log need that were written before somebody listened. */
  learn(changes: readonly ResourceChange[]): Promise<void>;
  /** Nearest first, without a read; without a version those of now. */
  ancestorsAt(namespace: string, version?: number): readonly string[];
}

/** Facts merged into the status of a kind on read, by uid, as JSON text of status fields; they change without a new version. */
type ActivityReader = (reads: ReadTx, records: readonly StoredResource[]) => Promise<ReadonlyMap<string, string>>;

export interface ManifestsDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
  readonly audit: AppendAudit;
  readonly feed: ChangeFeed;
  readonly authorizer: Pick<Authorizer, 'readsSecrets' | 'allows'>;
  readonly views: ResourceViews;
  readonly namespaces: NamespaceFacade;
  /** A spec with the defaults of the kind of its key; changes nothing. */
  readonly fill: (key: ResourceKey, spec: Message) => Message;
  readonly clock: Clock;
  /** `limits.responseBytes`. */
  readonly responseBytes: number;
  readonly streamLimits: ReaderLimits;
  /** By kind, where the facts are elsewhere than in the store's activity. */
  readonly activity?: Readonly<Record<string, ActivityReader>>;
}
