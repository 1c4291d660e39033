import { isRecord } from '../../../base/index.ts';
import type { PeerPart, PeerTaskState } from '../../../protocols/a2a/contract.ts';
import { kindOf, PART, type Part, type PermissionData } from '../../../runtime/contract.ts';
import type { TurnState } from '../../../store/contracts/index.ts';

/** What peers see of turns, and what their messages answer. */

/** Why a turn begins that a message of a peer asked for. */
export const CAUSE = 'a2a';

const STATES: Readonly<Record<TurnState, PeerTaskState>> = {
  QUEUED: 'submitted',
  RUNNING: 'working',
  WAITING: 'working',
  COMPLETED: 'completed',
  FAILED: 'failed',
  STOPPED: 'canceled',
};

/** State of the task of a turn; `asked`: what it waits for a person to answer. */
export const taskState = (
  turn: { readonly state: TurnState; readonly attempt: number },
  asked: PermissionData | undefined,
): PeerTaskState => {
  const isOver = turn.state === 'COMPLETED' || turn.state === 'FAILED' || turn.state === 'STOPPED';
  if (asked !== undefined && !isOver) return kindOf(asked) === 'sign_in' ? 'auth-required' : 'input-required';
  // A turn that was parked or handed over waits in the queue too, but has begun.
  return turn.state === 'QUEUED' && turn.attempt > 0 ? 'working' : STATES[turn.state];
};

/** The request as a person reads it, and as data for programs. */
export const askedParts = (asked: PermissionData): readonly PeerPart[] => [
  { kind: 'text', text: asked.prompt },
  {
    kind: 'data',
    value: {
      request_id: asked.id,
      kind: kindOf(asked),
      action: asked.action,
      input: asked.input ?? null,
      options: asked.options.map(({ id, name, allow }) => ({ id, name, allow })),
      ...(asked.schema === undefined ? {} : { schema: asked.schema }),
      ...(asked.url === undefined ? {} : { url: asked.url }),
    },
  },
];

/** Parts of a reply that count: those after the last tool call, result or question. */
export const replyParts = (parts: readonly Part[]): readonly Part[] => {
  const last = parts.findLastIndex(({ type }) => BREAKS.has(type));
  return parts.slice(last + 1);
};

/** What of a turn sets the text before it aside. */
export const BREAKS: ReadonlySet<number> = new Set([
  PART.TOOL_CALL,
  PART.TOOL_RESULT,
  PART.REQUEST_PERMISSION,
  PART.PERMISSION_RESULT,
]);

export interface PeerDecision {
  readonly requestId: string;
  readonly allow: boolean;
  readonly optionId: string;
  readonly value?: unknown;
}

const WORDS: Readonly<Record<string, boolean>> = { allow: true, yes: true, deny: false, no: false, decline: false };

/** The option that a word names, by id, name, or yes and no. */
const chosen = (asked: PermissionData, word: string): PeerDecision | undefined => {
  const lower = word.trim().toLowerCase();
  const option = asked.options.find(({ id, name }) => id.toLowerCase() === lower || name.toLowerCase() === lower);
  if (option !== undefined) return { requestId: asked.id, allow: option.allow, optionId: option.id };
  const allow = WORDS[lower];
  return allow === undefined ? undefined : { requestId: asked.id, allow, optionId: '' };
};

/** A text as the data that is asked for: JSON, unless the schema wants a text or it is none. */
const dataOf = (asked: PermissionData, text: string): unknown => {
  if (asked.schema?.['type'] === 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** What a message decides of a request; undefined when it says nothing that can be understood as an answer. */
export const decisionOf = (asked: PermissionData, parts: readonly PeerPart[]): PeerDecision | undefined => {
  const data = parts.find((part) => part.kind === 'data')?.value;
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
  if (kindOf(asked) === 'input') {
    if (data !== undefined) return { requestId: asked.id, allow: true, optionId: '', value: data };
    if (text.trim().toLowerCase() === 'decline') return { requestId: asked.id, allow: false, optionId: '' };
    return text === '' ? undefined : { requestId: asked.id, allow: true, optionId: '', value: dataOf(asked, text) };
  }
  const named = isRecord(data) ? (data['option_id'] ?? data['decision']) : undefined;
  return chosen(asked, typeof named === 'string' ? named : text);
};
