import { GatewayService, RoutingService } from '@svc/api/gateway';
import { admin, type Operation, operation, operator, viewer, wholeResource } from '../../../operations/index.ts';
import { ChannelLog } from './channel-log.ts';
import { ChannelService } from './channel-service.ts';
import type { ChannelsDeps } from './channels-deps.ts';
import { ChannelMessageService, MessageForms, postBody } from './message/index.ts';
import { ChannelStreams } from './stream/index.ts';
import { SubscriptionService } from './subscription/index.ts';

/** The 14 channel operations of GatewayService, and the one that says what a message would do. */
export const channelOperations = (deps: ChannelsDeps): readonly Operation[] => {
  const forms = new MessageForms();
  const log = new ChannelLog(deps);
  const channels = new ChannelService(deps);
  const messages = new ChannelMessageService(deps, log, forms);
  const subscriptions = new SubscriptionService(deps);
  const streams = new ChannelStreams(deps, log, forms);
  const { method } = GatewayService;
  return [
    operation(method.createChannel, {
      access: admin('fields'),
      body: wholeResource(),
      handle: (request, call) => channels.create(request, call),
    }),
    operation(method.getChannel, { access: viewer('channel-name'), handle: (request) => channels.get(request) }),
    operation(method.modifyChannel, {
      access: admin('fields'),
      body: wholeResource(),
      handle: (request, call) => channels.modify(request, call),
    }),
    operation(method.listChannels, { access: viewer('fields'), handle: (request) => channels.list(request) }),
    operation(method.deleteChannel, {
      access: admin('fields'),
      handle: (request, call) => channels.delete(request, call),
    }),
    operation(method.postChannelMessage, {
      access: operator('channel'),
      body: postBody,
      repeatable: true,
      handle: (request, call) => messages.post(request, call),
    }),
    operation(RoutingService.method.explainChannelMessage, {
      access: operator('channel'),
      handle: (request, call) => messages.explain(request, call),
    }),
    operation(method.getChannelMessage, { access: viewer('channel'), handle: (request) => messages.get(request) }),
    operation(method.listChannelMessages, { access: viewer('channel'), handle: (request) => messages.list(request) }),
    operation(method.createChannelSubscription, {
      access: admin('fields'),
      body: wholeResource(),
      handle: (request, call) => subscriptions.create(request, call),
    }),
    operation(method.getChannelSubscription, {
      access: viewer('fields'),
      handle: (request) => subscriptions.get(request),
    }),
    operation(method.modifyChannelSubscription, {
      access: admin('fields'),
      body: wholeResource(),
      handle: (request, call) => subscriptions.modify(request, call),
    }),
    operation(method.listChannelSubscriptions, {
      access: viewer('fields'),
      handle: (request) => subscriptions.list(request),
    }),
    operation(method.deleteChannelSubscription, {
      access: admin('fields'),
      handle: (request, call) => subscriptions.delete(request, call),
    }),
    operation(method.streamChannelEvents, {
      access: viewer('channel'),
      cursorField: 'after',
      handle: (request, call, sink) => streams.stream(request, call, sink),
    }),
  ];
};
