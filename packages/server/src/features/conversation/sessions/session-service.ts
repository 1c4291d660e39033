import { create } from '@bufbuild/protobuf';
import {
  type ClearSessionRequest,
  type ClearSessionResponse,
  ClearSessionResponseSchema,
  type CompactSessionRequest,
  type CompactSessionResponse,
  CompactSessionResponseSchema,
  type CreateSessionRequest,
  CreateSessionRequestSchema,
  type DeleteSessionRequest,
  type DeleteSessionResponse,
  DeleteSessionResponseSchema,
  type GetSessionRequest,
  type ListSessionsRequest,
  type ListSessionsResponse,
  ListSessionsResponseSchema,
  SessionListItemSchema,
  type SessionResponse,
  SessionResponseSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import {
  decodePageToken,
  encodePageToken,
  isUuid,
  isUuidV7,
  pageSize,
  placeNumber,
  violation,
} from '../../../base/index.ts';
import { messageForm, type RepeatableForm, repeatableCall, writeOnce } from '../../../idempotency/index.ts';
import {
  checkLabels,
  checkSystemKeys,
  deepFreeze,
  parseLabelSelector,
  refusal,
  withoutPrivate,
} from '../../../resources/index.ts';
import { UID_FORM } from '../../../resources/manifest/index.ts';
import type { ReadTx, SessionRow, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { checkOverrides, overridesOf, requireOverriding } from './inbound/index.ts';
import { lockSession, readSession, recordWrite, requireAgent, sessionNotFound } from './session-access.ts';
import type { SessionsContext } from './sessions-deps.ts';
import { sessionKey, sessionResponse } from './wire/index.ts';

/** Newest messages that GetSession shows when not told how many. */
const DEFAULT_MESSAGES = 1_000;

/** Sessions themselves: create, get, list, delete, clear. */
export class SessionService {
  readonly #context: SessionsContext;
  /** Answers by the row they show, where the store hands out a row again; frozen once asked for twice, so that bytes are kept too. */
  readonly #untouched = new WeakMap<SessionRow, Untouched>();

  readonly #created: RepeatableForm<typeof CreateSessionRequestSchema, SessionResponse>;

  constructor(context: SessionsContext) {
    this.#context = context;
    const answer = messageForm(SessionResponseSchema);
    this.#created = { request: CreateSessionRequestSchema, answer, hours: context.limits.idempotencyHours };
  }

  async create(request: CreateSessionRequest, call: CallContext): Promise<SessionResponse> {
    const violations = [
      ...checkLabels(request.labels, 'labels', { labels: this.#context.limits.labels, annotationsBytes: 0 }),
      ...checkSystemKeys({}, request.labels, 'labels'),
      ...(request.keepId === '' || isUuidV7(request.keepId) ? [] : [violation('keepId', UID_FORM)]),
      ...checkOverrides(overridesOf(request.overrides), this.#context),
    ];
    if (violations.length > 0) throw refusal(violations);
    const repeatable = repeatableCall(call, this.#created, request);
    return await writeOnce(this.#context.store, repeatable, (tx) => this.#create(tx, request, call));
  }

  async get(request: GetSessionRequest): Promise<SessionResponse> {
    if (!isUuid(request.sessionId)) throw sessionNotFound(request);
    const { direct } = this.#context.store;
    const row = await readSession(direct, request);
    // A session that nothing happened to since its creation has neither messages nor turns: no snapshot is needed.
    const isUntouched = row.lastMessageId === '' && row.openTurns === 0 && row.lastActive === row.createdAt;
    if (isUntouched) return await this.#untouchedAnswer(direct, row);
    return await this.#context.store.read((tx) => this.#readWhole(tx, request));
  }

  async #untouchedAnswer(direct: ReadTx, row: SessionRow): Promise<SessionResponse> {
    const known = this.#untouched.get(row);
    const resource = await direct.resources.get(sessionKey(row));
    if (known !== undefined && known.resource === resource) return deepFreeze(known.response);
    const response = await this.#answer(direct, row, { messages: [], resource });
    if (resource !== undefined) this.#untouched.set(row, { resource, response });
    return response;
  }

  async list(request: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { agent, ns, labelSelector } = request;
    const limit = pageSize(request.pageSize);
    const question = ['sessions', ns, agent, labelSelector];
    const place = decodePageToken(request.pageToken, question);
    const labels = parseLabelSelector(labelSelector);
    const rows = await this.#context.store.read(async (tx) => {
      await requireAgent(tx, request, this.#context);
      const before = place === undefined ? undefined : { lastActive: placeNumber(place[0]), id: place[1] ?? '' };
      return await tx.log.sessions({
        namespace: ns,
        agent,
        labels,
        limit: limit + 1,
        ...(before === undefined ? {} : { before }),
      });
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return create(ListSessionsResponseSchema, {
      sessionIds: page.map((row) => row.id).sort(),
      sessions: page.map(listItem),
      nextPageToken:
        rows.length > limit && last !== undefined ? encodePageToken(question, [String(last.lastActive), last.id]) : '',
    });
  }

  async delete(request: DeleteSessionRequest, call: CallContext): Promise<DeleteSessionResponse> {
    await this.#context.store.write(async (tx) => {
      // A delete in a namespace that is missing finds nothing; only writes of something say NAMESPACE_MISSING.
      await readSession(tx, request);
      const row = await lockSession(tx, request, this.#context);
      await this.#context.lifecycle.remove(tx, row);
      await this.#record(tx, call, { row, outcome: 'deleted' });
    });
    return create(DeleteSessionResponseSchema, { success: true });
  }

  async clear(request: ClearSessionRequest, call: CallContext): Promise<ClearSessionResponse> {
    await this.#context.store.write(async (tx) => {
      const row = await lockSession(tx, request, this.#context);
      await this.#context.lifecycle.clear(tx, row, request.stop);
      await this.#record(tx, call, { row, outcome: 'ok' });
    });
    return create(ClearSessionResponseSchema, { success: true });
  }

  async compact(request: CompactSessionRequest, call: CallContext): Promise<CompactSessionResponse> {
    await this.#context.store.write(async (tx) => {
      const row = await lockSession(tx, request, this.#context);
      await this.#context.lifecycle.requestCompaction(tx, row);
      await this.#record(tx, call, { row, outcome: 'ok' });
    });
    return create(CompactSessionResponseSchema, {});
  }

  /** Answer of a call that made a session, read back in its transaction. */
  async answerCreated(tx: ReadTx | WriteTx, row: SessionRow): Promise<SessionResponse> {
    const rows = row.lastMessageId === '' ? [] : await tx.log.messagesBefore(row.id, undefined, DEFAULT_MESSAGES);
    const messages = [...rows].reverse().map((message) => this.#context.messages.of(message));
    return await this.#answer(tx, row, { messages });
  }

  async #create(tx: WriteTx, request: CreateSessionRequest, call: CallContext): Promise<SessionResponse> {
    const { ns, agent, labels } = request;
    const { identity } = call.caller;
    const place = { namespace: ns, agent };
    const overrides = overridesOf(request.overrides);
    if (Object.keys(overrides).length > 0) await requireOverriding(tx, { session: place, call }, this.#context);
    const kept = (await this.#keepsId(tx, request, call)) ? { sessionId: request.keepId } : {};
    const row = await this.#context.lifecycle.create(tx, { ...place, labels, identity, overrides, ...kept });
    await this.#record(tx, call, { row, outcome: 'created' });
    return await this.#answer(tx, row, { messages: [], isNew: true });
  }

  /** As for uids of other kinds: callers with narrower grants would learn by trying which sessions others have. */
  async #keepsId(tx: WriteTx, { keepId }: CreateSessionRequest, { caller }: CallContext): Promise<boolean> {
    if (keepId === '' || !this.#context.authorizer.allows(caller, 'admin', {})) return false;
    return await tx.resources.claimUid(keepId);
  }

  async #readWhole(tx: ReadTx, request: GetSessionRequest): Promise<SessionResponse> {
    const row = await readSession(tx, request);
    const { messageLimit } = request;
    const limit = messageLimit === 0 ? DEFAULT_MESSAGES : messageLimit;
    const rows = limit < 0 ? [] : await tx.log.messagesBefore(row.id, undefined, limit);
    const messages = [...rows].reverse().map((message) => this.#context.messages.of(message));
    return await this.#answer(tx, row, { messages });
  }

  async #answer(
    tx: Pick<ReadTx, 'log' | 'resources'>,
    row: SessionRow,
    { resource: known, ...shown }: Shown,
  ): Promise<SessionResponse> {
    const resource = known ?? (await tx.resources.get(sessionKey(row)));
    if (resource === undefined) throw sessionNotFound({ ns: row.namespace, agent: row.agent, sessionId: row.id });
    const cursor = this.#context.cursors.answerCursor(tx, row);
    const streamCursor = typeof cursor === 'string' ? cursor : await cursor;
    return sessionResponse(this.#context, { row, resource, streamCursor, ...shown });
  }

  #record(
    tx: WriteTx,
    call: CallContext,
    entry: { readonly row: SessionRow; readonly outcome: string },
  ): Promise<void> {
    const { namespace, agent, id } = entry.row;
    const names = { ns: namespace, agent, sessionId: id };
    return recordWrite(tx, { call, names, outcome: entry.outcome }, this.#context);
  }
}

/** What an answer is made of in addition to the session's row. */
interface Shown {
  readonly messages: SessionResponse['messages'];
  readonly isNew?: boolean;
  /** Where it was read already. */
  readonly resource?: StoredResource | undefined;
}

/** The answer of a session that nothing happened to depends on its row and its record alone. */
interface Untouched {
  readonly resource: StoredResource;
  readonly response: SessionResponse;
}

const listItem = (row: SessionRow): ListSessionsResponse['sessions'][number] =>
  create(SessionListItemSchema, {
    sessionId: row.id,
    updatedAt: BigInt(row.lastActive),
    labels: withoutPrivate(row.labels),
    state: row.state,
    createdAt: BigInt(row.createdAt),
  });
