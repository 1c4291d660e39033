import type { SessionSpec } from '@svc/api/resources';
import { type KindContract, kindContract } from '../../../controllers/contract.ts';
import type { WriteTx } from '../../../store/contracts/index.ts';

export interface SessionKindDeps {
  /** Removes a session with its turns, messages and reservations; also its resource, when it likes. */
  readonly removeSession: (tx: WriteTx, sessionId: string) => Promise<void>;
}

/** Sessions as resources: the runtime makes them; deletion through any API ends their turns and removes everything. */
export const sessionContract = (deps: SessionKindDeps): KindContract =>
  kindContract<SessionSpec>({
    kind: 'Session',
    validate: (write) =>
      write.isSpecChanged && write.current !== undefined
        ? [{ field: 'spec', description: 'of a session never changes', reason: 'KIND_READ_ONLY' }]
        : [],
    removing: (tx, resource) => deps.removeSession(tx, resource.key.name),
  });
