import { create } from '@bufbuild/protobuf';
import { MessageRole, type SessionMessage, SessionMessageSchema, TurnState } from '@svc/api/data';
import {
  type ForkSessionRequest,
  type GetTurnRequest,
  type ListTurnsRequest,
  type ListTurnsResponse,
  ListTurnsResponseSchema,
  type SessionResponse,
  type TurnResponse,
  TurnResponseSchema,
  type UpdateSessionMessageRequest,
  type UpdateSessionMessageResponse,
  UpdateSessionMessageResponseSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { decodePageToken, encodePageToken, invalidField, isUuid, notFound, pageSize } from '../../../base/index.ts';
import { checkLabels, checkSystemKeys, refusal, sortKeys } from '../../../resources/index.ts';
import type { MessageRow, SessionRow, TurnRow, WriteTx } from '../../../store/contracts/index.ts';
import {
  checkNewLabels,
  checkOverrides,
  checkParts,
  holdObjects,
  type InboundObjects,
  messageHolder,
  overridesOf,
  requireOverriding,
  settleObjects,
  writtenParts,
} from './inbound/index.ts';
import { lockSession, readSession, recordWrite, refusedState } from './session-access.ts';
import type { SessionService } from './session-service.ts';
import type { SessionsContext } from './sessions-deps.ts';
import { turnMessage } from './wire/index.ts';

/** The one `svc/` label a caller may set, through UpdateSessionMessage only. */
const DELIVERY_STATUS = 'svc/connector-delivery-status';
const TURN_STATES = Object.keys(TurnState).filter((name) => Number.isNaN(Number(name)));

/** Edits, forks and turns: SessionControlService without requests and schedules. */
export class ControlService {
  readonly #context: SessionsContext;
  readonly #sessions: SessionService;

  constructor(context: SessionsContext, sessions: SessionService) {
    this.#context = context;
    this.#sessions = sessions;
  }

  async updateMessage(request: UpdateSessionMessageRequest, call: CallContext): Promise<UpdateSessionMessageResponse> {
    const { labels, parts } = request;
    const wanted = create(SessionMessageSchema, { parts });
    const { [DELIVERY_STATUS]: status, ...plain } = labels;
    const { limits } = this.#context;
    const violations = [
      ...checkLabels(plain, 'labels', { labels: limits.labels, annotationsBytes: 0 }),
      ...checkSystemKeys(await this.#labelsOf(request, plain), plain, 'labels'),
      ...checkParts(wanted, 'parts', limits),
    ];
    if (violations.length > 0) throw refusal(violations);
    const inbound = { namespace: request.ns, parts, field: 'parts', signal: call.signal };
    const objects = await settleObjects(inbound, this.#context);
    const saved = await this.#context.store.write(async (tx) => {
      const session = await lockSession(tx, request, this.#context);
      const message = await this.#editable(tx, session, request);
      const changes = checkSystemKeys(message.labels, plain, 'labels');
      if (changes.length > 0) throw refusal(changes);
      const edit = { labels: plain, wanted, objects, now: tx.now(), limit: limits.labels };
      const next = await this.#applyStatus(tx, { session, message, changed: edited(message, edit), status });
      if (next === message) return message;
      await tx.log.saveMessage(next);
      await holdObjects(
        tx,
        { namespace: request.ns, holder: messageHolder(message.sessionId, message.id), objects },
        this.#context.objects,
      );
      await recordWrite(tx, { call, names: request, messageId: message.id }, this.#context);
      return next;
    });
    const message: SessionMessage = this.#context.messages.of(saved);
    return create(UpdateSessionMessageResponseSchema, { sessionId: request.sessionId, message });
  }

  async fork(request: ForkSessionRequest, call: CallContext): Promise<SessionResponse> {
    const overrides = overridesOf(request.overrides);
    const violations = [
      ...checkNewLabels(request.labels, 'labels', this.#context.limits),
      ...checkOverrides(overrides, this.#context),
    ];
    if (violations.length > 0) throw refusal(violations);
    const { throughMessageId, labels } = request;
    return await this.#context.store.write(async (tx) => {
      const session = await lockSession(tx, request, this.#context);
      if (Object.keys(overrides).length > 0) await requireOverriding(tx, { session, call }, this.#context);
      if (throughMessageId !== '') await this.#message(tx, session, throughMessageId);
      const { identity } = call.caller;
      const fork = await this.#context.lifecycle.fork(tx, session, {
        throughMessageId,
        labels,
        identity,
        overrides,
      });
      await recordWrite(tx, { call, names: { ...request, sessionId: fork.id } }, this.#context);
      return await this.#sessions.answerCreated(tx, fork);
    });
  }

  async listTurns(request: ListTurnsRequest): Promise<ListTurnsResponse> {
    const limit = pageSize(request.pageSize);
    const state = TURN_STATES.find((name) => TurnState[name as TurnRow['state']] === request.state);
    if (state === undefined) throw invalidField('state', 'is not a turn state');
    const question = ['turns', request.sessionId, state];
    const [before] = decodePageToken(request.pageToken, question) ?? [];
    return await this.#context.store.read(async (tx) => {
      const session = await readSession(tx, request);
      const rows = await tx.log.turns(session.id, {
        limit: limit + 1,
        ...(before === undefined ? {} : { before }),
        ...(state === 'UNSPECIFIED' ? {} : { state: state as TurnRow['state'] }),
      });
      const turns = [];
      for (const row of rows.slice(0, limit)) turns.push(await turnMessage(tx, row));
      const last = turns.at(-1);
      const nextPageToken = rows.length > limit && last !== undefined ? encodePageToken(question, [last.id]) : '';
      return create(ListTurnsResponseSchema, { turns, nextPageToken });
    });
  }

  async getTurn(request: GetTurnRequest): Promise<TurnResponse> {
    const { turnId } = request;
    return await this.#context.store.read(async (tx) => {
      const session = await readSession(tx, request);
      const turn = isUuid(turnId) ? await tx.log.turn(turnId) : undefined;
      if (turn?.sessionId !== session.id) throw notFound('Turn', { session_id: session.id, turn_id: turnId });
      return create(TurnResponseSchema, { turn: await turnMessage(tx, turn) });
    });
  }

  async #message(tx: WriteTx, session: SessionRow, id: string): Promise<MessageRow> {
    const message = isUuid(id) ? await tx.log.message(session.id, id) : undefined;
    if (message === undefined) throw notFound('Message', { session_id: session.id, message_id: id });
    return message;
  }

  /** Labels the message has, for those of the system that are sent back; none when there is no such message. */
  async #labelsOf(request: UpdateSessionMessageRequest, sent: MessageRow['labels']): Promise<MessageRow['labels']> {
    const isAsked = Object.keys(sent).some((key) => key.startsWith('svc/'));
    if (!isAsked || !isUuid(request.sessionId) || !isUuid(request.messageId)) return {};
    return await this.#context.store.read(async (tx) => {
      const session = await tx.log.session(request.sessionId);
      if (session?.namespace !== request.ns || session.agent !== request.agent) return {};
      return (await tx.log.message(session.id, request.messageId))?.labels ?? {};
    });
  }

  async #editable(tx: WriteTx, session: SessionRow, request: UpdateSessionMessageRequest): Promise<MessageRow> {
    const message = await this.#message(tx, session, request.messageId);
    const isEditable = message.role === MessageRole.ROLE_USER || message.role === MessageRole.ROLE_ASSISTANT;
    if (!isEditable) throw refusedState('MESSAGE_FIXED', 'only user and assistant messages can be changed', request);
    return message;
  }

  async #applyStatus(
    tx: WriteTx,
    change: {
      readonly session: SessionRow;
      readonly message: MessageRow;
      /** The message with its other changes. */
      readonly changed: MessageRow;
      readonly status: string | undefined;
    },
  ): Promise<MessageRow> {
    const { session, message, changed, status } = change;
    if (status === undefined || status === message.labels[DELIVERY_STATUS]) return changed;
    const labels = await this.#context.deliveries.setStatus(tx, { session, message: changed, status });
    return { ...changed, labels, revision: message.revision + 1 };
  }
}

interface MessageEdit {
  readonly labels: Readonly<Record<string, string>>;
  readonly wanted: SessionMessage;
  readonly objects: InboundObjects;
  readonly now: number;
  readonly limit: number;
}

/** The message with labels merged (an empty value removes) and parts, when given, replaced whole. */
const edited = (message: MessageRow, edit: MessageEdit): MessageRow => {
  const merged = { ...message.labels, ...edit.labels };
  const labels = sortKeys(Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== '')));
  const violations = checkLabels(labels, 'labels', { labels: edit.limit, annotationsBytes: 0 });
  if (violations.length > 0) throw refusal(violations);
  const { wanted, objects, now } = edit;
  const parts =
    wanted.parts.length === 0 ? message.parts : JSON.stringify(writtenParts(wanted, { createdAt: now, objects }));
  const isSame = parts === message.parts && JSON.stringify(labels) === JSON.stringify(sortKeys(message.labels));
  return isSame ? message : { ...message, labels, parts, revision: message.revision + 1 };
};
