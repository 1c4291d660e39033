import type { AppendAudit, ResourceWriter } from '../../../../controllers/contract.ts';
import type { ReadTx, Store } from '../../../../store/contracts/index.ts';
import type { ToolContext } from '../../../../tools/contract.ts';
import type { StopExecution, TaskMoves } from '../task-moves.ts';
import type { SendFurtherWork } from '../task-work.ts';

/** What the tools over tasks use. */
export interface TaskToolsDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'direct' | 'steadyNow'>;
  readonly writer: Pick<ResourceWriter, 'create'>;
  readonly audit: AppendAudit;
  readonly moves: TaskMoves;
  readonly stopExecution: StopExecution;
  readonly furtherWork: SendFurtherWork;
  /** Gives artifacts of the delegate to the session that asked for the task, and answers where their content is. */
  readonly handOverArtifacts: (
    context: ToolContext,
    uris: readonly string[],
    target: { readonly namespace: string; readonly agent: string; readonly sessionId: string } | undefined,
  ) => Promise<
    readonly {
      readonly key: string;
      readonly mediaType: string;
      readonly sizeBytes: bigint;
      readonly sha256: string;
      readonly filename: string;
    }[]
  >;
  /** A namespace and its ancestors, nearest first. */
  readonly visibleNamespaces: (reads: Pick<ReadTx, 'resources'>, namespace: string) => Promise<readonly string[]>;
  /** `a2a.maxDepth`. */
  readonly maxDepth: number;
}
