import type { WriteTx } from '../../store/contracts/index.ts';
import { stopTurns } from './turn-stop.ts';

/** One transaction and what its steps use. */
interface Scope {
  readonly tx: WriteTx;
  readonly ports: Parameters<typeof stopTurns>[0]['ports'];
}

/** Turns that are read at a time. */
const PAGE = 500;

/** Stops every running and waiting turn of the namespaces; queued ones stay. */
export const stopNamespaces = async (scope: Scope, namespaces: ReadonlySet<string>): Promise<void> => {
  for (const namespace of namespaces) await stopNamespace(scope, namespace);
};

const stopNamespace = async ({ tx, ports }: Scope, namespace: string): Promise<void> => {
  let after = '';
  for (;;) {
    const page = await tx.log.startedTurns(namespace, after, PAGE);
    for (const { id, sessionId } of page)
      if ((await tx.log.lockSession(sessionId)) !== undefined)
        await stopTurns({ tx, ports }, sessionId, (turn) => turn.id === id);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
};
