import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { ChannelEvent } from '@svc/api/events';
import {
  type ChannelResponse,
  type ChannelSubscriptionResponse,
  GatewayService,
  type ListChannelMessagesResponse,
  type PostChannelMessageRequestSchema,
  type PostChannelMessageResponse,
  PostChannelMessageRequestSchema as PostSchema,
} from '@svc/api/gateway';
import type { ChannelSpecSchema, ChannelSubscriptionSpecSchema } from '@svc/api/resources';
import { Fault, silentLog } from '../../../../base/index.ts';
import { ReconcileLoop, StoredKindFacade, statusReconcilers } from '../../../../controllers/index.ts';
import type { Operation } from '../../../../operations/index.ts';
import { defaultLabelLimits } from '../../../../resources/index.ts';
import type { ObjectAccess } from '../../../../runtime/contract.ts';
import { quietStore } from '../../../../store/testing/quiet-store.ts';
import {
  callContext,
  openResourceWorld,
  type ResourceWorld,
  type TestStream,
  type WorldOptions,
} from '../../../testing/index.ts';
import { channelContract } from '../channel-kind.ts';
import { channelOperations } from '../channel-operations.ts';
import { ChannelRemains } from '../channel-remains.ts';
import type { ChannelLimits } from '../channels-deps.ts';
import { subscriptionContract } from '../subscription/index.ts';

const { method } = GatewayService;

export type ChannelWorld = Awaited<ReturnType<typeof openChannelWorld>>;

const LIMITS: ChannelLimits = {
  ...defaultLabelLimits,
  contentBytes: 1_024,
  responseBytes: 1 << 20,
  idempotencyHours: 24,
  historyEvents: 10_000,
  historySeconds: 600,
  retentionSeconds: 0,
  bufferEvents: 8,
  bufferBytes: 1 << 20,
  maxHops: 4,
  agentRate: 60,
  silenceTokens: ['[SILENT]'],
};

/** No subscription is reached in this world. */
const noAgents = {
  admit: () => Promise.reject(new Fault('UNIMPLEMENTED', 'NO_AGENTS', 'this world runs no agents')),
  create: () => Promise.reject(new Fault('UNIMPLEMENTED', 'NO_AGENTS', 'this world runs no agents')),
};

/** The operations as tests call them. */
const callers = ({ call, stream }: Pick<ResourceWorld, 'call' | 'stream'>, operations: readonly Operation[]) => {
  const makeChannel = (name: string, spec: MessageInitShape<typeof ChannelSpecSchema> = {}): Promise<ChannelResponse> =>
    call(method.createChannel, { ns: 'default', channel: { metadata: { name }, spec } });

  const subscribe = (
    channel: string,
    name: string,
    spec: MessageInitShape<typeof ChannelSubscriptionSpecSchema> = {},
  ): Promise<ChannelSubscriptionResponse> =>
    call(method.createChannelSubscription, {
      ...{ ns: 'default', channel },
      subscription: { metadata: { name }, spec: { agent: 'helper', ...spec } },
    });

  const post = (
    channel: string,
    content: string,
    more: MessageInitShape<typeof PostChannelMessageRequestSchema> = {},
  ): Promise<PostChannelMessageResponse> =>
    call(method.postChannelMessage, { ns: 'default', channel, content, ...more });

  /** A post with an idempotency key; answers with the headers that were set. */
  const postOnce = async (key: string, request: MessageInitShape<typeof PostSchema>) => {
    const operation = operations.find((candidate) => candidate.method.name === 'PostChannelMessage');
    if (operation?.kind !== 'unary') throw new Error('PostChannelMessage is not mounted');
    const headers: Record<string, string> = {};
    const answer = await operation.handle(create(PostSchema, request), {
      ...callContext('svc.gateway.GatewayService/PostChannelMessage'),
      idempotencyKey: key,
      setHeader: (name, value) => void Object.assign(headers, { [name]: value }),
    });
    return { answer: answer as PostChannelMessageResponse, headers };
  };

  const messages = (channel: string, page: object = {}): Promise<ListChannelMessagesResponse> =>
    call(method.listChannelMessages, { ns: 'default', channel, ...page });

  const follow = (channel: string, after = ''): TestStream<ChannelEvent> =>
    stream(method.streamChannelEvents, { ns: 'default', channel, after });

  return { makeChannel, subscribe, post, postOnce, messages, follow };
};

/** The resource world with channels; an agent `helper` is there, controllers and queue run only when told to. */
export const openChannelWorld = async (
  options: Partial<ChannelLimits> & Pick<WorldOptions, 'dataDir'> & { readonly subscriptionsMax?: number } = {},
) => {
  const { dataDir, subscriptionsMax = 200, ...limits } = options;
  const world = await openResourceWorld({
    ...(dataDir === undefined ? {} : { dataDir }),
    contracts: () => [channelContract({ writer: () => world.writer }), subscriptionContract({ subscriptionsMax })],
  });
  const { store, bus, ids, writer, feed, views, audit, directory, clock, random } = world;
  /** Bytes by namespace and sha256. */
  const objects = new Map<string, Uint8Array>();
  const held: string[] = [];
  const operations = channelOperations({
    store,
    bus,
    ids,
    writer,
    feed,
    views,
    audit,
    channels: new StoredKindFacade('Channel', { store, writer, responseBytes: 1 << 20 }),
    namespaces: directory,
    objects: {
      size: async (namespace, object) => objects.get(`${namespace}/${object.sha256}`)?.length,
      read: async (namespace, object) => objects.get(`${namespace}/${object.sha256}`),
      hold: async (...[, , object, holder]: Parameters<ObjectAccess['hold']>) =>
        void held.push(`${object.key} by ${holder}`),
    },
    admission: noAgents,
    lifecycle: noAgents,
    artifactObjects: async () => [],
    published: async () => undefined,
    limits: { ...LIMITS, ...limits },
  });
  (world.operations as Operation[]).push(...operations);
  const reconciler = statusReconcilers(world, world.contracts).find(({ kinds }) =>
    kinds.includes('ChannelSubscription'),
  );
  if (reconciler === undefined) throw new Error('nothing reconciles subscriptions');
  const loop = new ReconcileLoop(reconciler, { store, feed, clock, random, log: silentLog });
  loop.start();
  if (dataDir === undefined) await world.call(method.createAgent, { ns: 'default', name: 'helper' });

  /** Lets everything that is already decided happen: reads, commits and their deliveries. */
  const settle = async (): Promise<void> => {
    await store.write(async () => undefined);
    await quietStore(store);
  };

  const close = async (keep = false): Promise<void> => {
    loop.close();
    await world.close(keep);
  };

  return {
    ...world,
    ...{ objects, held, loop, remains: new ChannelRemains(store), settle, close },
    ...callers(world, operations),
  };
};
