import { parseBody } from '../../../runtime/contract.ts';
import type { TrailPlace, TrailSource } from '../../trail-source.ts';
import { MAX_ALIASES } from './delegation-rules.ts';

/** Turns of another agent's session that are searched for those that a turn caused. */
const TURNS_MAX = 100;

/** What delegation knows of a turn: the turns of other agents that it caused. */
export const delegationTrail: TrailSource = {
  read: async (reads, place) => {
    if (place.kind !== 'turn') return undefined;
    const turn = await reads.log.turn(place.id);
    if (turn === undefined) return undefined;
    const rows = await reads.delegations.page('ofSession', { sessionId: turn.sessionId }, { limit: MAX_ALIASES });
    const links: TrailPlace[] = [];
    for (const { childSessionId } of rows)
      for (const child of childSessionId === '' ? [] : await reads.log.turns(childSessionId, { limit: TURNS_MAX }))
        if (parseBody(child).cause.lineage.at(-1)?.turnId === turn.id)
          links.push({ kind: 'turn', id: child.id, namespace: child.namespace });
    return { entries: [], links };
  },
};
