import type { Ids } from '../../../../base/index.ts';
import { DONE, type QueueWorker, type ReconcileOutcome, type WorkItem } from '../../../../controllers/contract.ts';
import type { Admission, SessionLifecycle, TurnEndHook } from '../../../../runtime/contract.ts';
import type { Store, WriteTx } from '../../../../store/contracts/index.ts';
import { createWorkflowHook } from '../steps/index.ts';

const TURN = 'test.turn';

interface ScriptedTurn {
  readonly turnId: string;
  readonly sessionId: string;
  readonly text: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Agents without an engine, in the transactions of their callers: a turn is an item of the queue, and its end reports as a real one does.
 * `!say X` answers X, `!fail X` fails with X, `!hang` never ends, anything else is answered with itself.
 */
export class ScriptedAgents implements QueueWorker {
  readonly kinds = [TURN];
  readonly #ids: Ids;
  readonly #store: Pick<Store, 'write'>;
  readonly #hook: TurnEndHook = createWorkflowHook({ publish: () => undefined });

  constructor(store: Pick<Store, 'write'>, ids: Ids) {
    this.#store = store;
    this.#ids = ids;
  }

  readonly admission: Admission = {
    admit: async (tx, { sessionId, parts, labels }) => {
      const turnId = this.#ids.next();
      const turn: ScriptedTurn = { turnId, sessionId, text: parts[0]?.content ?? '', labels };
      const item = { kind: TURN, key: turnId, dueAt: tx.steadyNow(), attempts: 0, payload: JSON.stringify(turn) };
      await tx.queue.put(item);
      return { turnId, messageId: '', replyMessageId: '', steered: false };
    },
  };

  readonly lifecycle: Pick<SessionLifecycle, 'create' | 'stop'> = {
    create: async (_tx, { agent }) => {
      if (agent === 'busy') throw new Error('the store is busy');
      return { id: this.#ids.next() } as never;
    },
    stop: async () => [],
  };

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const turn = JSON.parse(item.payload) as ScriptedTurn;
    const [word = '', rest = ''] = turn.text.split(/ (.*)/s);
    if (word === '!hang') return DONE;
    const state = word === '!fail' ? 'FAILED' : 'COMPLETED';
    const replyText = word === '!say' ? rest : turn.text;
    await this.#store.write((tx) => this.end(tx, turn, { state, replyText, error: rest }));
    return DONE;
  }

  /** Ends a turn as the engine would. */
  end(
    tx: WriteTx,
    { turnId, labels }: ScriptedTurn,
    { state, replyText, error }: { readonly state: string; readonly replyText: string; readonly error: string },
  ): Promise<void> {
    const body = { cause: { kind: 'workflow', labels }, error };
    return this.#hook.turnEnded(tx, { turn: { id: turnId, state }, body, replyText, session: {} } as never);
  }
}
