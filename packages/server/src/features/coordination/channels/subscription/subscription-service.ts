import { clone, create } from '@bufbuild/protobuf';
import {
  type ChannelSubscriptionResponse,
  ChannelSubscriptionResponseSchema,
  type CreateChannelSubscriptionRequest,
  type DeleteChannelSubscriptionRequest,
  type DeleteChannelSubscriptionResponse,
  DeleteChannelSubscriptionResponseSchema,
  type GetChannelSubscriptionRequest,
  type ListChannelSubscriptionsRequest,
  type ListChannelSubscriptionsResponse,
  ListChannelSubscriptionsResponseSchema,
  type ModifyChannelSubscriptionRequest,
} from '@svc/api/gateway';
import {
  type ChannelSubscription,
  ChannelSubscriptionSchema,
  type ChannelSubscriptionSpec,
  ChannelSubscriptionSpecSchema,
} from '@svc/api/resources';
import type { CallContext } from '../../../../auth/contract.ts';
import { decodePageToken, encodePageToken, type FieldViolation, pageSize } from '../../../../base/index.ts';
import { desiredOf } from '../../../../controllers/facade-contract.ts';
import {
  checkAnnotations,
  checkLabels,
  checkPathNames,
  fillPage,
  parseLabelSelector,
  refusal,
  resourceNotFound,
} from '../../../../resources/index.ts';
import type { ReadTx, ResourceKey, StoredResource } from '../../../../store/contracts/index.ts';
import { findChannel } from '../channel-access.ts';
import type { ChannelsDeps } from '../channels-deps.ts';

import { checkSubscription, fillSubscription } from './subscription-rules.ts';

interface SubscriptionNames {
  readonly ns: string;
  readonly channel: string;
  readonly name: string;
}

const subscriptionKey = ({ ns, channel, name }: SubscriptionNames): ResourceKey => ({
  kind: 'ChannelSubscription',
  namespace: ns,
  parent: channel,
  name,
});

/** Create, get, modify, list and delete subscriptions of a channel. */
export class SubscriptionService {
  readonly #deps: ChannelsDeps;

  constructor(deps: ChannelsDeps) {
    this.#deps = deps;
  }

  async create(request: CreateChannelSubscriptionRequest, call: CallContext): Promise<ChannelSubscriptionResponse> {
    const { ns, channel, subscription } = request;
    const spec = specFor(subscription, channel);
    this.#refuse(request, checkPathNames(subscription?.metadata, { ns }));
    const key = subscriptionKey({ ns, channel, name: subscription?.metadata?.name ?? '' });
    const { resource } = await this.#deps.store.write((tx) =>
      this.#deps.writer.create(tx, call, {
        ...desiredOf({ metadata: subscription?.metadata, spec, sent: call.sentMetadata }),
        key,
        resourceVersion: subscription?.metadata?.resourceVersion ?? '',
      }),
    );
    return this.#answer(resource);
  }

  async get(request: GetChannelSubscriptionRequest): Promise<ChannelSubscriptionResponse> {
    return this.#answer(await findSubscription(this.#deps.store.direct, request));
  }

  async modify(request: ModifyChannelSubscriptionRequest, call: CallContext): Promise<ChannelSubscriptionResponse> {
    const { ns, channel, name, subscription } = request;
    this.#refuse(request, checkPathNames(subscription?.metadata, { ns, name }));
    const spec = specFor(subscription, channel);
    const desired = desiredOf({ metadata: subscription?.metadata, spec, sent: call.sentMetadata });
    const { resource } = await this.#deps.store.write(async (tx) => {
      await this.#deps.namespaces.requireLive(tx, ns);
      const { key } = await findSubscription(tx, request);
      const resourceVersion = subscription?.metadata?.resourceVersion ?? '';
      return this.#deps.writer.modify(tx, call, { key, resourceVersion, change: () => desired });
    });
    return this.#answer(resource);
  }

  async list(request: ListChannelSubscriptionsRequest): Promise<ListChannelSubscriptionsResponse> {
    const { ns, channel, labelSelector, metadataOnly } = request;
    const size = pageSize(request.pageSize, metadataOnly);
    const labels = parseLabelSelector(labelSelector);
    const question = ['subscriptions', ns, channel, labelSelector, metadataOnly];
    const [place] = decodePageToken(request.pageToken, question) ?? [];
    const page = await this.#deps.store.read(async (tx) => {
      await findChannel(tx, request);
      return fillPage<StoredResource>({
        size,
        bytes: this.#deps.limits.responseBytes,
        metadataOnly,
        after: place === undefined ? undefined : subscriptionKey({ ns, channel, name: place }),
        read: (after, limit) =>
          tx.resources.list({
            kind: 'ChannelSubscription',
            scope: { type: 'namespace', namespace: ns },
            parent: channel,
            labels,
            limit,
            ...(after === undefined ? {} : { after }),
          }),
      });
    });
    return create(ListChannelSubscriptionsResponseSchema, {
      subscriptions: page.rows.map((row) => this.#view(row, metadataOnly)),
      nextPageToken: page.next === undefined ? '' : encodePageToken(question, [page.next.name]),
    });
  }

  async delete(
    request: DeleteChannelSubscriptionRequest,
    call: CallContext,
  ): Promise<DeleteChannelSubscriptionResponse> {
    await this.#deps.store.write(async (tx) => {
      const { key } = await findSubscription(tx, request);
      await this.#deps.writer.remove(tx, call, { key });
    });
    return create(DeleteChannelSubscriptionResponseSchema, { success: true });
  }

  /** What is wrong with the request itself is answered together with what is wrong with the resource. */
  #refuse(
    request: { readonly channel: string; readonly subscription?: ChannelSubscription | undefined },
    own: readonly FieldViolation[],
  ): void {
    if (own.length === 0) return;
    const { subscription, channel } = request;
    throw refusal([
      ...own,
      ...checkLabels(subscription?.metadata?.labels ?? {}, 'metadata.labels', this.#deps.limits),
      ...checkAnnotations(subscription?.metadata?.annotations ?? {}, 'metadata.annotations', this.#deps.limits),
      ...checkSubscription(fillSubscription(specFor(subscription, channel)), channel),
    ]);
  }

  #answer(record: StoredResource): ChannelSubscriptionResponse {
    return create(ChannelSubscriptionResponseSchema, { subscription: this.#view(record) });
  }

  #view(record: StoredResource, metadataOnly = false): ChannelSubscription {
    return this.#deps.views.full(ChannelSubscriptionSchema, record, { secrets: true, metadataOnly });
  }
}

/** The spec with the path's channel where it names none. */
const specFor = (subscription: ChannelSubscription | undefined, channel: string): ChannelSubscriptionSpec => {
  const given = subscription?.spec ?? create(ChannelSubscriptionSpecSchema);
  if (given.channel !== '') return given;
  const spec = clone(ChannelSubscriptionSpecSchema, given);
  spec.channel = channel;
  return spec;
};

const findSubscription = async (
  reads: Pick<ReadTx, 'resources'>,
  names: SubscriptionNames,
): Promise<StoredResource> => {
  const key = subscriptionKey(names);
  const record = await reads.resources.get(key);
  if (record !== undefined) return record;
  await findChannel(reads, names);
  throw resourceNotFound(key);
};
