import { EVENT, PART, type Part, SEQUENCE_BASE, type SessionEvent, type Span } from '../contract.ts';
import { publicPart, unitsOf } from '../record/index.ts';
import type { TurnView } from './turn-view.ts';

const fenceOf = (sequence: number): number => Math.floor(sequence / SEQUENCE_BASE);

/** One span with the range of recorded parts that a replay shows under it. */
interface Stretch {
  readonly span: Span;
  readonly first: number;
  /** Exclusive; parts from here on are shown again under a later span. */
  readonly end: number;
  /** Another RESET of the same message follows, so this one says nothing new. */
  readonly redundant: boolean;
}

/** Ranges that together show every part once: a later RESET takes back the parts of its message. */
const stretchesOf = (view: TurnView): Stretch[] => {
  const { spans } = view;
  const stretches: Stretch[] = [];
  let end = view.parts.length;
  for (let index = spans.length - 1; index >= 0; index--) {
    const span = spans[index];
    if (span === undefined) continue;
    const redundant =
      span.reset &&
      spans.some(
        (later, at) =>
          at > index && later.reset && later.messageId === span.messageId && later.firstPart <= span.firstPart,
      );
    stretches.unshift({ span, first: span.firstPart, end, redundant });
    end = Math.min(end, span.firstPart);
  }
  return stretches;
};

/**
 * Events of a turn after a sequence, whole parts as one event, cut inside a text where the sequence is inside it.
 * A sequence before a RESET span, in the message it resets, yields RESET and all of that message; in an earlier
 * message the rest of that one first. Pure; sequences of the result rise and are above `after`.
 */
export const cutEvents = (view: TurnView, after: number): SessionEvent[] => {
  const events: SessionEvent[] = [];
  const afterFence = fenceOf(after);
  for (const stretch of stretchesOf(view)) {
    if (stretch.span.fence < afterFence || stretch.redundant) continue;
    const seen = stretch.span.fence === afterFence ? after - afterFence * SEQUENCE_BASE : 0;
    cutStretch(view, { ...stretch, seen }, events);
  }
  const { terminal } = view;
  if (terminal !== undefined && terminal.sequence > after) {
    events.push({
      ...eventNames(view),
      kind: terminal.kind,
      ...(terminal.part === undefined ? {} : { part: terminal.part }),
      messageId: terminal.messageId,
      attempt: terminal.attempt,
      fence: fenceOf(terminal.sequence),
      sequence: terminal.sequence,
      units: 1,
      timestamp: terminal.timestamp,
      reason: terminal.reason,
    });
  }
  return events;
};

const cutStretch = (view: TurnView, stretch: Stretch & { readonly seen: number }, events: SessionEvent[]): void => {
  const { span, seen } = stretch;
  const base = span.fence * SEQUENCE_BASE;
  // An edited message may be longer than what was streamed: its events still come before the terminal one.
  const highest = view.terminal === undefined ? Number.MAX_SAFE_INTEGER : view.terminal.sequence - 1;
  const common = { ...eventNames(view), attempt: span.attempt, fence: span.fence };
  let count = 0;
  if (span.reset) {
    count = 1;
    if (seen < 1) {
      const { messageId, reason = 'recovered' } = span;
      events.push({
        ...common,
        kind: EVENT.RESET,
        messageId,
        sequence: base + 1,
        units: 1,
        timestamp: view.startedAt,
        reason,
      });
    }
  }
  for (let index = stretch.first; index < stretch.end; index++) {
    const placed = view.parts[index];
    if (placed === undefined) break;
    const units = unitsOf(placed.part);
    const skip = Math.max(0, seen - count);
    count += units;
    if (skip >= units) continue;
    const { messageId } = placed;
    const part =
      skip === 0
        ? publicPart(placed.part)
        : { ...publicPart(placed.part), content: (placed.part.content ?? '').slice(skip) };
    const sequence = Math.min(base + count, highest);
    events.push({
      ...common,
      kind: EVENT.DELTA,
      part,
      messageId,
      sequence,
      units: units - skip,
      timestamp: placed.part.createdAt,
      reason: '',
    });
  }
};

const eventNames = (view: TurnView): Pick<SessionEvent, 'namespace' | 'agent' | 'sessionId' | 'turnId'> => ({
  namespace: view.namespace,
  agent: view.agent,
  sessionId: view.sessionId,
  turnId: view.turnId,
});

/** Sequence just before the turn's first event, undefined while it has sent nothing. */
export const startOfTurn = (spans: readonly Span[]): number | undefined => {
  const [first] = spans;
  return first === undefined ? undefined : first.fence * SEQUENCE_BASE;
};

/** Sequence after which exactly the given message of the turn, and what follows it, comes whole (for `stream_cursor`). */
export const startOfMessage = (view: TurnView, messageId: string): number | undefined => {
  const found = view.parts.findIndex((placed) => placed.messageId === messageId);
  const target = found === -1 ? view.parts.length : found;
  let holder: Span | undefined;
  for (const span of view.spans) if (span.firstPart <= target) holder = span;
  if (holder === undefined) return startOfTurn(view.spans);
  const base = holder.fence * SEQUENCE_BASE;
  if (holder.reset && holder.messageId === messageId) return base;
  const before = view.parts
    .slice(holder.firstPart, target)
    .reduce((sum, placed) => sum + unitsOf(placed.part), holder.reset ? 1 : 0);
  return base + before;
};

/** True for parts that stream in pieces: their events join by content. */
export const isText = (part: Part | undefined): boolean =>
  part !== undefined && (part.type === PART.TEXT || part.type === PART.REASONING);
