import { create } from '@bufbuild/protobuf';
import {
  type ChannelMessageResponse,
  ChannelMessageResponseSchema,
  type ExplainChannelMessageRequest,
  type ExplainChannelMessageResponse,
  ExplainChannelMessageResponseSchema,
  type GetChannelMessageRequest,
  type ListChannelMessagesRequest,
  type ListChannelMessagesResponse,
  ListChannelMessagesResponseSchema,
  type PostChannelMessageRequest,
  PostChannelMessageRequestSchema,
  type PostChannelMessageResponse,
  PostChannelMessageResponseSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import { invalidField, isUuid, notFound, oversize, pageSize } from '../../../../base/index.ts';
import { messageForm, type RepeatableForm, repeatableCall, writeOnce } from '../../../../idempotency/index.ts';
import { formatKey, refusal } from '../../../../resources/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import { type ChannelMessageRow, undone, type WriteTx } from '../../../../store/contracts/index.ts';
import { findChannel, requireOpen } from '../channel-access.ts';
import type { ChannelLog } from '../channel-log.ts';
import type { MessageBody } from '../channel-message.ts';
import type { ChannelsDeps } from '../channels-deps.ts';
import { settleAttachments } from './attachments.ts';
import type { MessageForms } from './message-form.ts';
import { type ChannelPost, checkPost, isContentTooLarge } from './message-rules.ts';
import { MessageWrites } from './message-writes.ts';

interface Post {
  readonly request: PostChannelMessageRequest;
  readonly call: CallContext;
  readonly attachments: readonly ObjectData[];
}

/** Posts, gets and lists messages of channels. */
export class ChannelMessageService {
  readonly #deps: ChannelsDeps;
  readonly #writes: MessageWrites;
  readonly #forms: MessageForms;
  readonly #posted: RepeatableForm<typeof PostChannelMessageRequestSchema, PostChannelMessageResponse>;

  constructor(deps: ChannelsDeps, log: ChannelLog, forms: MessageForms) {
    this.#deps = deps;
    this.#writes = new MessageWrites(deps, log);
    this.#forms = forms;
    const answer = messageForm(PostChannelMessageResponseSchema);
    this.#posted = { request: PostChannelMessageRequestSchema, answer, hours: deps.limits.idempotencyHours };
  }

  async post(request: PostChannelMessageRequest, call: CallContext): Promise<PostChannelMessageResponse> {
    this.#check(request);
    const repeatable = repeatableCall(call, this.#posted, request);
    // Before its attachments are looked up: they may be gone by now.
    const known = request.attachments.length === 0 ? undefined : await repeatable?.earlierAnswer(this.#deps.store);
    if (known !== undefined) return known;
    const attachments = await settleAttachments(request.ns, request.attachments, this.#deps);
    return writeOnce(this.#deps.store, repeatable, (tx) => this.#store(tx, { request, call, attachments }));
  }

  /** What the message would begin: it is posted, and everything that it did is undone. */
  async explain(request: ExplainChannelMessageRequest, call: CallContext): Promise<ExplainChannelMessageResponse> {
    this.#check(request);
    const attachments = await settleAttachments(request.ns, request.attachments, this.#deps);
    const { hops } = request;
    const posted = bodyOf(request, attachments);
    const body: MessageBody = hops === 0 ? posted : { ...posted, authorKind: 'agent', hops };
    const { outcomes } = await undone(this.#deps.store, (tx) => this.#write(tx, { request, call, body }));
    return create(ExplainChannelMessageResponseSchema, { subscriptions: [...outcomes] });
  }

  #check(request: ChannelPost): void {
    const violations = checkPost(request, this.#deps.limits);
    if (violations.length > 0) throw refusal(violations);
    const { contentBytes } = this.#deps.limits;
    if (isContentTooLarge(request.content, contentBytes))
      throw refusal([oversize('content', contentBytes, 'limits.channelContentMax')]);
  }

  async get(request: GetChannelMessageRequest): Promise<ChannelMessageResponse> {
    const { ns, channel, messageId } = request;
    const row = await this.#deps.store.read(async (tx) => {
      const { uid } = await findChannel(tx, request);
      return isUuid(messageId) ? await tx.channels.message(uid, messageId) : undefined;
    });
    if (row === undefined) throw notFound('ChannelMessage', { ns, channel, message_id: messageId });
    return create(ChannelMessageResponseSchema, { message: this.#forms.of(row, { namespace: ns, channel }) });
  }

  async list(request: ListChannelMessagesRequest): Promise<ListChannelMessagesResponse> {
    const { ns, channel, beforeMessageId = '' } = request;
    if (request.limit < 0) throw invalidField('limit', 'must not be negative');
    const limit = pageSize(request.pageSize === 0 ? request.limit : request.pageSize);
    const rows = await this.#deps.store.read(async (tx) => {
      const { uid } = await findChannel(tx, request);
      return tx.channels.messagesBefore(uid, beforeMessageId === '' ? undefined : beforeMessageId, limit + 1);
    });
    const page = this.#cut(rows, limit);
    const hasMore = page.length < rows.length;
    const oldest = page.at(-1)?.id;
    return create(ListChannelMessagesResponseSchema, {
      messages: page.toReversed().map((row) => this.#forms.of(row, { namespace: ns, channel })),
      hasMore,
      ...(hasMore && oldest !== undefined ? { nextBeforeMessageId: oldest } : {}),
    });
  }

  /** As many rows, newest first, as fit the page and `limits.responseBytes`; at least one. */
  #cut(rows: readonly ChannelMessageRow[], limit: number): readonly ChannelMessageRow[] {
    let bytes = 0;
    let count = 0;
    for (const row of rows.slice(0, limit)) {
      bytes += row.body.length;
      if (count > 0 && bytes > this.#deps.limits.responseBytes) break;
      count += 1;
    }
    return rows.slice(0, count);
  }

  async #write(
    tx: WriteTx,
    { request, call, body }: Pick<Post, 'call'> & { readonly request: ChannelPost; readonly body: MessageBody },
  ) {
    await this.#deps.namespaces.requireLive(tx, request.ns);
    const channel = await findChannel(tx, request);
    requireOpen(channel);
    const { subscriptionNames } = request;
    const cause = { identity: call.caller.identity, lineage: [] };
    return { channel, ...(await this.#writes.write(tx, channel, { body, subscriptionNames, cause })) };
  }

  /** The message, what it begins, its events and the audit record in one transaction. */
  async #store(tx: WriteTx, { request, call, attachments }: Post): Promise<PostChannelMessageResponse> {
    const body = bodyOf(request, attachments);
    const { row, routes, channel } = await this.#write(tx, { request, call, body });
    await this.#deps.audit(tx, call, {
      target: formatKey(channel.key),
      namespace: request.ns,
      resourceVersion: '',
      outcome: 'posted',
    });
    const names = { namespace: request.ns, channel: request.channel };
    return create(PostChannelMessageResponseSchema, {
      message: this.#forms.of(row, names),
      routedSessions: [...routes],
    });
  }
}

const bodyOf = (request: ChannelPost, attachments: readonly ObjectData[]): MessageBody => ({
  authorKind: request.authorKind === '' ? 'user' : request.authorKind,
  author: request.author,
  content: request.content.trim(),
  ...(Object.keys(request.labels).length === 0 ? {} : { labels: request.labels }),
  ...(attachments.length === 0 ? {} : { attachments }),
});
