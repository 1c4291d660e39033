import type { TurnRow } from '../../store/contracts/index.ts';
import { parseBody } from '../record/index.ts';

/** A message as the order sees it; `turnId` '' = appended. */
export interface OrderedMessage {
  readonly id: string;
  readonly turnId: string;
}

/**
 * Place of a turn in the history: the fence of its first claim; undefined while it was not started. A turn
 * stopped before its first claim has the fence of its terminal event.
 */
export const firstFence = (turn: TurnRow): number | undefined => {
  const first = turn.body === '' ? undefined : parseBody(turn).spans[0]?.fence;
  const fence = first ?? turn.fence;
  return fence > 0 ? fence : undefined;
};

/**
 * Order of a conversation: one block per turn in the order of first fences, ids ascending inside; an appended message is
 * before the first block that holds a greater id, at the latest at the end. `fenceOf` answers undefined for turns that are not
 * started: their messages are left out.
 */
export const orderHistory = <M extends OrderedMessage>(
  messages: readonly M[],
  fenceOf: (turnId: string) => number | undefined,
): readonly M[] => {
  const ascending = [...messages].sort((a, b) => (a.id < b.id ? -1 : 1));
  const blocks = new Map<string, { readonly fence: number; readonly messages: M[] }>();
  for (const message of ascending) {
    const fence = message.turnId === '' ? undefined : fenceOf(message.turnId);
    if (fence === undefined) continue;
    const block = blocks.get(message.turnId);
    if (block === undefined) blocks.set(message.turnId, { fence, messages: [message] });
    else block.messages.push(message);
  }
  const ordered = [...blocks.values()].sort((a, b) => a.fence - b.fence);
  const appended = ascending.filter((message) => message.turnId === '');
  return ordered.length === 0 ? appended : merge(ordered, appended);
};

const merge = <M extends OrderedMessage>(
  blocks: readonly { readonly messages: readonly M[] }[],
  appended: readonly M[],
): readonly M[] => {
  const result: M[] = [];
  let placed = 0;
  for (const { messages } of blocks) {
    const greatest = messages.at(-1)?.id ?? '';
    for (let next = appended[placed]; next !== undefined && next.id < greatest; next = appended[placed]) {
      result.push(next);
      placed += 1;
    }
    result.push(...messages);
  }
  result.push(...appended.slice(placed));
  return result;
};
