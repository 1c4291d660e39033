import type { CausingTurn } from '../../tools/contract.ts';

/**
 * How deep agents may cause the work of other agents. The lineage of a turn is the chain of turns that led to it, the first cause
 * first; its length is the depth of the turn, so a turn from outside has depth 0.
 */

/** Whom a turn wants to give work to. */
type LineageTarget = Pick<CausingTurn, 'namespace' | 'agent'>;

interface LineageProblem {
  readonly code: 'depth_exceeded' | 'loop_detected';
  /** For the model that asked. */
  readonly text: string;
}

/** Lineage of the turn that `sender` causes; `lineage` is the sender's own. */
export const lineageBelow = (lineage: readonly CausingTurn[], sender: CausingTurn): readonly CausingTurn[] => [
  ...lineage,
  sender,
];

/**
 * Why a turn with `lineage` may not be given to the agent; undefined when it may. An agent that is in the lineage waits for the
 * result already and gets it as the reply, so sending it a message would go round in circles.
 */
export const lineageProblem = (
  lineage: readonly CausingTurn[],
  target: LineageTarget,
  maxDepth: number,
): LineageProblem | undefined => {
  if (lineage.some(({ namespace, agent }) => namespace === target.namespace && agent === target.agent)) {
    return {
      code: 'loop_detected',
      text: `loop_detected: agent ${target.agent} is among those that led to this turn; answer it with your reply instead`,
    };
  }
  if (lineage.length <= maxDepth) return undefined;
  return {
    code: 'depth_exceeded',
    text: `depth_exceeded: the message would be ${lineage.length} agents deep, at most ${maxDepth} are allowed here`,
  };
};
