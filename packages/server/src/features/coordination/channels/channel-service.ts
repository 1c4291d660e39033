import { create } from '@bufbuild/protobuf';
import {
  type ChannelResponse,
  ChannelResponseSchema,
  type CreateChannelRequest,
  type DeleteChannelRequest,
  type DeleteChannelResponse,
  DeleteChannelResponseSchema,
  type GetChannelRequest,
  type ListChannelsRequest,
  type ListChannelsResponse,
  ListChannelsResponseSchema,
  type ModifyChannelRequest,
} from '@svc/api/gateway';
import { type Channel, ChannelSchema, ChannelSpecSchema } from '@svc/api/resources';
import type { CallContext } from '../../../auth/contract.ts';
import type { FieldViolation } from '../../../base/index.ts';
import type { DesiredResource } from '../../../controllers/contract.ts';
import { desiredOf } from '../../../controllers/facade-contract.ts';
import { checkAnnotations, checkLabels, checkPathNames, recordKey, refusal } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import { touchChannel } from './channel-kind.ts';
import { checkChannel, checkPhase, phaseOf, settleState } from './channel-rules.ts';
import type { ChannelsDeps } from './channels-deps.ts';

/** CreateChannel, GetChannel, ModifyChannel, ListChannels, DeleteChannel. */
export class ChannelService {
  readonly #deps: ChannelsDeps;

  constructor(deps: ChannelsDeps) {
    this.#deps = deps;
  }

  async create(request: CreateChannelRequest, call: CallContext): Promise<ChannelResponse> {
    const { ns, channel } = request;
    const phase = channel?.status?.phase ?? '';
    this.#refuse(channel, [...checkPathNames(channel?.metadata, { ns }), ...checkPhase(phase)]);
    const desired = wanted(channel, call);
    const annotations = settleState({ phase, annotations: desired.annotations ?? {}, current: undefined });
    const key = recordKey('Channel', ns, channel?.metadata?.name ?? '');
    const { resource } = await this.#deps.store.write((tx) =>
      this.#deps.writer.create(tx, call, {
        ...desired,
        annotations,
        key,
        resourceVersion: channel?.metadata?.resourceVersion ?? '',
      }),
    );
    return this.#answer(resource);
  }

  async get(request: GetChannelRequest): Promise<ChannelResponse> {
    return this.#answer(await this.#deps.channels.read({ key: recordKey('Channel', request.ns, request.name) }));
  }

  async modify(request: ModifyChannelRequest, call: CallContext): Promise<ChannelResponse> {
    const { ns, name, channel } = request;
    const phase = channel?.status?.phase ?? '';
    this.#refuse(channel, [...checkPathNames(channel?.metadata, { ns, name }), ...checkPhase(phase)]);
    const desired = wanted(channel, call);
    const resource = await this.#deps.store.write(async (tx) => {
      const written = await this.#deps.writer.modify(tx, call, {
        key: recordKey('Channel', ns, name),
        resourceVersion: channel?.metadata?.resourceVersion ?? '',
        change: (current) => ({
          ...desired,
          annotations: settleState({
            phase,
            annotations: desired.annotations ?? {},
            current: phaseOf(current.annotations),
          }),
        }),
      });
      // `updated_at` moves on every modify, also on one that leaves the resource as it is.
      if (written.outcome === 'unchanged') await touchChannel(tx, written.resource);
      return written.resource;
    });
    return this.#answer(resource);
  }

  async list(request: ListChannelsRequest): Promise<ListChannelsResponse> {
    const { ns: namespace, pageSize, pageToken, labelSelector, metadataOnly } = request;
    const page = await this.#deps.channels.list({ namespace, pageSize, pageToken, labelSelector, metadataOnly });
    const uids = metadataOnly ? [] : page.records.map((record) => record.uid);
    const activity = await this.#deps.store.direct.resources.activity(uids);
    return create(ListChannelsResponseSchema, {
      channels: page.records.map((record) => this.#view(record, activity.get(record.uid) ?? '', metadataOnly)),
      nextPageToken: page.nextPageToken,
    });
  }

  async delete(request: DeleteChannelRequest, call: CallContext): Promise<DeleteChannelResponse> {
    await this.#deps.channels.remove(call, { key: recordKey('Channel', request.ns, request.name) });
    return create(DeleteChannelResponseSchema, { success: true });
  }

  /** What is wrong with the request itself is answered together with what is wrong with the resource. */
  #refuse(channel: Channel | undefined, own: readonly FieldViolation[]): void {
    if (own.length === 0) return;
    const { labels = {}, annotations = {} } = channel?.metadata ?? {};
    throw refusal([
      ...own,
      ...checkLabels(labels, 'metadata.labels', this.#deps.limits),
      ...checkAnnotations(annotations, 'metadata.annotations', this.#deps.limits),
      ...checkChannel(channel?.spec ?? create(ChannelSpecSchema), annotations),
    ]);
  }

  async #answer(record: StoredResource): Promise<ChannelResponse> {
    const activity = (await this.#deps.store.direct.resources.activity([record.uid])).get(record.uid) ?? '';
    return create(ChannelResponseSchema, { channel: this.#view(record, activity) });
  }

  #view(record: StoredResource, activity: string, metadataOnly = false): Channel {
    return this.#deps.views.full(ChannelSchema, record, { secrets: true, activity, metadataOnly });
  }
}

const wanted = (channel: Channel | undefined, call: CallContext): DesiredResource =>
  desiredOf({
    metadata: channel?.metadata,
    spec: channel?.spec ?? create(ChannelSpecSchema),
    sent: call.sentMetadata,
  });
