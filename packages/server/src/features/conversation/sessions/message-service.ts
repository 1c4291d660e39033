import { create } from '@bufbuild/protobuf';
import { MessageRole, type SessionMessagePart, TurnState } from '@svc/api/data';
import {
  type AppendSessionMessageRequest,
  AppendSessionMessageRequestSchema,
  type AppendSessionMessageResponse,
  AppendSessionMessageResponseSchema,
  type ListSessionMessagesRequest,
  type ListSessionMessagesResponse,
  ListSessionMessagesResponseItemSchema,
  ListSessionMessagesResponseSchema,
  type SendMessageRequest,
  SendMessageRequestSchema,
  type SendMessageResponse,
  SendMessageResponseSchema,
  type StopSessionGenerationRequest,
  type StopSessionGenerationResponse,
  StopSessionGenerationResponseSchema,
  WhenBusy,
} from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { isUuid, notFound, pageSize } from '../../../base/index.ts';
import {
  type KeptForm,
  messageForm,
  type RepeatableForm,
  repeatableCall,
  writeOnce,
} from '../../../idempotency/index.ts';
import { refusal } from '../../../resources/index.ts';
import {
  type Admitted,
  EVENT,
  eventSubject,
  isTurnOver,
  PART,
  type Part,
  parseBody,
  type SessionEvent,
  type Submission,
} from '../../../runtime/contract.ts';
import type { MessageRow, SessionRow, TurnRow, WriteTx } from '../../../store/contracts/index.ts';
import {
  appendedMessage,
  checkAppend,
  checkSend,
  holdObjects,
  type InboundContents,
  type InboundObjects,
  messageHolder,
  plainPart,
  settleObjects,
} from './inbound/index.ts';
import { causeOf, lockSession, readSession, recordWrite } from './session-access.ts';
import type { SessionsContext } from './sessions-deps.ts';
import { awaitTurn, failureFacts, replyText } from './turn-wait.ts';

const WHEN_BUSY: Readonly<Record<WhenBusy, Submission['whenBusy']>> = {
  [WhenBusy.UNSPECIFIED]: 'QUEUE',
  [WhenBusy.QUEUE]: 'QUEUE',
  [WhenBusy.STEER]: 'STEER',
  [WhenBusy.REJECT]: 'REJECT',
  [WhenBusy.INTERRUPT]: 'INTERRUPT',
};

const NO_OBJECTS: InboundObjects = new Map();

/** A repetition waits for the turn that was made, so that what is kept is its admission and not the whole answer. */
const ADMITTED: KeptForm<Admitted> = {
  write: (admitted) => JSON.stringify(admitted),
  read: (text) => JSON.parse(text) as Admitted,
};

const lockNamed = async (tx: WriteTx, { sessionId }: { readonly sessionId: string }): Promise<void> => {
  if (isUuid(sessionId)) await tx.log.lockSession(sessionId);
};

/** What comes with a message apart from its request. */
interface MessageOrigin {
  /** Bytes of its files. */
  readonly contents?: InboundContents;
  /** Turns elsewhere that led to it. */
  readonly lineage?: Submission['cause']['lineage'];
  /** Why its turn begins; absent: a call of the API. */
  readonly cause?: string;
  /** Runs in the transaction that admits it. */
  readonly admitted?: (tx: WriteTx, turnId: string) => Promise<void>;
}

/** Messages of a session: list, send, append, stop. */
export class MessageService {
  readonly #context: SessionsContext;
  readonly #sent: RepeatableForm<typeof SendMessageRequestSchema, Admitted>;
  readonly #appended: RepeatableForm<typeof AppendSessionMessageRequestSchema, AppendSessionMessageResponse>;

  constructor(context: SessionsContext) {
    this.#context = context;
    const hours = context.limits.idempotencyHours;
    this.#sent = { request: SendMessageRequestSchema, answer: ADMITTED, hours, lock: lockNamed };
    const answer = messageForm(AppendSessionMessageResponseSchema);
    this.#appended = { request: AppendSessionMessageRequestSchema, answer, hours, lock: lockNamed };
  }

  async list(request: ListSessionMessagesRequest): Promise<ListSessionMessagesResponse> {
    const limit = pageSize(request.pageSize);
    const before =
      request.beforeMessageId === undefined || request.beforeMessageId === '' ? undefined : request.beforeMessageId;
    return await this.#context.store.read(async (tx) => {
      const row = await readSession(tx, request);
      const rows = await tx.log.messagesBefore(row.id, before, limit + 1);
      const response = create(ListSessionMessagesResponseSchema);
      response.sessionId = row.id;
      response.agent = row.agent;
      response.state = row.state;
      let bytes = 0;
      for (const message of rows) {
        const view = this.#context.messages.sized(message);
        bytes += view.bytes;
        const { length } = response.items;
        response.hasMore = length === limit || (length > 0 && bytes > this.#context.limits.responseBytes);
        if (response.hasMore) break;
        const item = create(ListSessionMessagesResponseItemSchema);
        item.message = view.message;
        response.items.push(item);
      }
      response.items.reverse();
      if (response.hasMore) response.nextBeforeMessageId = response.items[0]?.message?.id;
      const cursor = this.#context.cursors.answerCursor(tx, row);
      response.streamCursor = typeof cursor === 'string' ? cursor : await cursor;
      return response;
    });
  }

  async send(request: SendMessageRequest, call: CallContext): Promise<SendMessageResponse> {
    return await this.#sendAnswer(request, call, await this.admit(request, call));
  }

  /** Checks and admits a message; answers once it is durable, before its turn runs. */
  async admit(request: SendMessageRequest, call: CallContext, origin: MessageOrigin = {}): Promise<Admitted> {
    const { contents = new Map(), lineage = [], cause: kind = 'api' } = origin;
    const violations = checkSend(request, this.#context.limits);
    if (violations.length > 0) throw refusal(violations);
    const { ns: namespace, parts } = request;
    const repeatable = repeatableCall(call, this.#sent, request);
    const known = parts.length === 0 ? undefined : await repeatable?.earlierAnswer(this.#context.store);
    if (known !== undefined) return known;
    const inbound = { namespace, parts, field: 'parts', signal: call.signal, contents };
    const objects = parts.length === 0 ? NO_OBJECTS : await settleObjects(inbound, this.#context);
    const effect = async (tx: WriteTx): Promise<Admitted> => {
      const submission = this.#submission(request, call, objects);
      const cause = { ...submission.cause, kind, lineage };
      const result = await this.#context.admission.admit(tx, { ...submission, cause });
      if (objects.size > 0)
        await holdObjects(
          tx,
          { namespace, holder: messageHolder(request.sessionId, result.messageId), objects },
          this.#context.objects,
        );
      await origin.admitted?.(tx, result.turnId);
      await recordWrite(
        tx,
        { call, names: request, turnId: result.turnId, messageId: result.messageId },
        this.#context,
      );
      return result;
    };
    return await writeOnce(this.#context.store, repeatable, effect);
  }

  async append(request: AppendSessionMessageRequest, call: CallContext): Promise<AppendSessionMessageResponse> {
    const violations = checkAppend(request, this.#context.limits);
    const { message } = request;
    if (violations.length > 0 || message === undefined) throw refusal(violations);
    const repeatable = repeatableCall(call, this.#appended, request);
    const known = await repeatable?.earlierAnswer(this.#context.store);
    if (known !== undefined) return known;
    const inbound = { namespace: request.ns, parts: message.parts, field: 'message.parts', signal: call.signal };
    const objects = await settleObjects(inbound, this.#context);
    const effect = async (tx: WriteTx): Promise<AppendSessionMessageResponse> => {
      const row = await lockSession(tx, request, this.#context);
      const draft = appendedMessage(message, { id: this.#context.ids.next(), now: tx.now(), objects });
      const saved = await this.#delivered(tx, row, await this.#context.lifecycle.append(tx, row, draft));
      await holdObjects(
        tx,
        { namespace: request.ns, holder: messageHolder(saved.sessionId, saved.id), objects },
        this.#context.objects,
      );
      await recordWrite(tx, { call, names: request, messageId: saved.id }, this.#context);
      return create(AppendSessionMessageResponseSchema, {
        sessionId: row.id,
        message: this.#context.messages.of(saved),
      });
    };
    return await writeOnce(this.#context.store, repeatable, effect);
  }

  /** What an operator or a program answers for the agent is delivered like an answer of the agent. */
  async #delivered(tx: WriteTx, session: SessionRow, message: MessageRow): Promise<MessageRow> {
    if (message.role !== MessageRole.ROLE_ASSISTANT) return message;
    const labels = await this.#context.deliveries.appended(tx, { session, message });
    if (labels === message.labels) return message;
    const labelled = { ...message, labels };
    await tx.log.saveMessage(labelled);
    return labelled;
  }

  async stop(request: StopSessionGenerationRequest, call: CallContext): Promise<StopSessionGenerationResponse> {
    const { turnId } = request;
    const { stopped, waiting } = await this.#context.store.write(async (tx) => {
      const row = await lockSession(tx, request, this.#context);
      const turn = isUuid(turnId) ? await tx.log.turn(turnId) : undefined;
      if (turnId !== '' && turn?.sessionId !== row.id) throw notFound('Turn', { session_id: row.id, turn_id: turnId });
      const open = row.openTurns === 0 ? [] : await tx.log.openTurns(row.id);
      const ids = await this.#context.lifecycle.stop(tx, row, turnId);
      const [first = ''] = ids;
      if (first !== '') await recordWrite(tx, { call, names: request, turnId: first }, this.#context);
      return { stopped: ids, waiting: open.filter((each) => each.state === 'QUEUED' && each.fence === 0) };
    });
    for (const turn of waiting) if (stopped.includes(turn.id)) this.#announceStop(turn);
    return create(StopSessionGenerationResponseSchema, { success: true, stoppedTurnIds: [...stopped] });
  }

  /** Streams of a turn that never started end at once; other streams see its end where its turn comes. */
  #announceStop(turn: TurnRow): void {
    const event: SessionEvent = {
      namespace: turn.namespace,
      agent: turn.agent,
      sessionId: turn.sessionId,
      turnId: turn.id,
      messageId: parseBody(turn).replyMessageIds.at(-1) ?? '',
      kind: EVENT.DONE,
      attempt: 1,
      fence: 0,
      sequence: 0,
      units: 1,
      timestamp: this.#context.store.now(),
      reason: 'stopped',
    };
    this.#context.bus.publish(eventSubject(turn.sessionId), event);
  }

  #submission(request: SendMessageRequest, call: CallContext, objects: InboundObjects): Submission {
    const createdAt = this.#context.store.now();
    const parts: Part[] = [];
    if (request.message.trim() !== '') parts.push({ id: '', type: PART.TEXT, content: request.message, createdAt });
    for (const [index, part] of request.parts.entries())
      parts.push(sentPart(part, { createdAt, object: objects.get(index) }));
    return {
      namespace: request.ns,
      agent: request.agent,
      sessionId: request.sessionId,
      parts,
      labels: request.labels,
      whenBusy: WHEN_BUSY[request.whenBusy],
      cause: causeOf(call, request.labels),
    };
  }

  async #sendAnswer(request: SendMessageRequest, call: CallContext, admitted: Admitted): Promise<SendMessageResponse> {
    const response = create(SendMessageResponseSchema);
    response.sessionId = request.sessionId;
    response.messageId = admitted.messageId;
    response.turnId = admitted.turnId;
    response.replyMessageId = admitted.replyMessageId;
    const waitSeconds = Math.min(request.waitSeconds ?? 0, this.#context.limits.waitSeconds);
    response.turnState = admitted.steered ? TurnState.RUNNING : TurnState.QUEUED;
    if (waitSeconds === 0) return response;
    const turn = await awaitTurn(
      {
        namespace: request.ns,
        agent: request.agent,
        sessionId: request.sessionId,
        turnId: admitted.turnId,
        messageId: admitted.messageId,
        waitMs: waitSeconds * 1_000,
        signal: call.signal,
      },
      this.#context,
    );
    if (turn === undefined) return response;
    response.turnId = turn.id;
    response.turnState = TurnState[turn.state];
    if (!isTurnOver(turn)) return response;
    const body = parseBody(turn);
    response.replyMessageId = body.replyMessageIds.at(-1) ?? response.replyMessageId;
    if (turn.state === 'FAILED') {
      response.error = body.error ?? '';
      response.errorReason = body.reason ?? '';
      response.errorMetadata = await failureFacts(this.#context.store.direct, turn);
    }
    response.reply = await replyText(this.#context.store.direct, turn);
    return response;
  }
}

/** A fetched or given url stays as a note next to the object; a data: url does not. */
const sentPart = (
  part: SessionMessagePart,
  facts: { readonly createdAt: number; readonly object: ReturnType<InboundObjects['get']> },
): Part => {
  const plain = plainPart(part, { id: '', createdAt: facts.createdAt });
  if (facts.object === undefined) return plain;
  const { payload = {}, ...rest } = plain;
  const { url, ...others } = payload;
  const kept = typeof url === 'string' && url.startsWith('https:') ? { ...others, url } : others;
  return { ...rest, ...(Object.keys(kept).length === 0 ? {} : { payload: kept }), object: facts.object };
};
