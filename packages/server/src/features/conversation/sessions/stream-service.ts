import type { SessionMessagePartEvent } from '@svc/api/events';
import type { StreamSessionPartsBatchRequest, StreamSessionPartsRequest } from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { type FieldViolation, inTurns, invalidField, invalidFields, type Steps } from '../../../base/index.ts';
import type { StreamSink } from '../../../operations/index.ts';
import { formatSessionName, parseSessionName } from '../../../resources/index.ts';
import type { SessionEvent } from '../../../runtime/contract.ts';
import type { FollowedSession } from '../../../runtime/stream/stream-contract.ts';
import { FormingSink } from '../../../streams/index.ts';
import type { SessionsDeps } from './sessions-deps.ts';
import { EventMessages } from './wire/index.ts';

type PartSink = StreamSink<SessionMessagePartEvent>;

/** StreamSessionParts and StreamSessionPartsBatch. */
export class StreamService {
  readonly #deps: Pick<SessionsDeps, 'streams' | 'limits'>;
  readonly #messages = new EventMessages();
  /** Made once for all streams: a message is kept for the readers of an event. */
  readonly #form = (event: SessionEvent, cursor: string): SessionMessagePartEvent => this.#messages.of(event, cursor);

  constructor(deps: Pick<SessionsDeps, 'streams' | 'limits'>) {
    this.#deps = deps;
  }

  one(request: StreamSessionPartsRequest, call: CallContext, sink: PartSink): Promise<void> {
    const { ns, agent, sessionId, after, untilDone, turnId } = request;
    const sessions = [{ namespace: ns, agent, sessionId, after }];
    const formed = new FormingSink(sink, this.#form);
    return this.#deps.streams.follow({ sessions, untilDone, turnId, batch: false }, formed, call.signal);
  }

  async batch(request: StreamSessionPartsBatchRequest, call: CallContext, sink: PartSink): Promise<void> {
    const sessions = await inTurns(readingSessions(request, this.#deps.limits.batchSessions), NAMES_PER_TURN);
    const formed = new FormingSink(sink, this.#form);
    await this.#deps.streams.follow(
      { sessions, untilDone: request.untilDone, turnId: '', batch: true },
      formed,
      call.signal,
    );
  }
}

/** Sessions of a batch whose names are read before others get a turn. */
const NAMES_PER_TURN = 500;

/** The sessions of a batch, duplicates merged, a step for each; INVALID_ARGUMENT for an empty, malformed or over-long list. */
function* readingSessions(
  request: Pick<StreamSessionPartsBatchRequest, 'sessionNames' | 'sessions' | 'after'>,
  limit: number,
): Steps<readonly FollowedSession[]> {
  const count = request.sessionNames.length + request.sessions.length;
  if (count === 0) throw invalidField('sessionNames', 'names no session');
  if (count > limit) throw invalidField('sessionNames', `names more than ${limit} sessions`);
  const violations: FieldViolation[] = [];
  const found = new Map<string, FollowedSession>();
  const cursors = new Map(Object.entries(request.after).map(([key, cursor]) => [canonicalKey(key), cursor]));
  const add = (names: { readonly namespace: string; readonly agent: string; readonly sessionId: string }): void => {
    const name = formatSessionName(names);
    found.set(name, { ...names, after: cursors.get(name) ?? cursors.get(names.sessionId) ?? '' });
  };
  for (const [index, text] of request.sessionNames.entries()) {
    const names = parseSessionName(text);
    if (names !== undefined) add(names);
    else
      violations.push({
        field: `sessionNames[${index}]`,
        description: 'is not a canonical session name',
        reason: 'FIELD_INVALID',
      });
    yield;
  }
  for (const [index, key] of request.sessions.entries()) {
    const isWhole = key.ns !== '' && key.agent !== '' && key.sessionId !== '';
    if (isWhole) add({ namespace: key.ns, agent: key.agent, sessionId: key.sessionId });
    else
      violations.push({
        field: `sessions[${index}]`,
        description: 'needs ns, agent and session_id',
        reason: 'FIELD_INVALID',
      });
    yield;
  }
  violations.push(...strayCursors(request.after, found));
  if (violations.length > 0) throw invalidFields(violations);
  return [...found.values()];
}

/** A session name as it is formatted here, a raw `:` in its namespace encoded; any other text as it is. */
const canonicalKey = (key: string): string => {
  const address = parseSessionName(key);
  return address === undefined ? key : formatSessionName(address);
};

/** A cursor for a session that is not listed is a mistake of the caller, and is not ignored. */
const strayCursors = (
  after: Readonly<Record<string, string>>,
  found: ReadonlyMap<string, FollowedSession>,
): readonly FieldViolation[] => {
  const keys = Object.keys(after);
  if (keys.length === 0) return [];
  const ids = new Set([...found.values()].map((session) => session.sessionId));
  const names = new Set([...found.keys()]);
  const isListed = (key: string): boolean => ids.has(key) || names.has(canonicalKey(key));
  return keys
    .filter((key) => !isListed(key))
    .map((key) => ({
      field: `after[${key.slice(0, 200)}]`,
      description: 'is not a listed session',
      reason: 'FIELD_INVALID',
    }));
};
