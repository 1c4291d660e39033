import { GatewayService } from '@svc/api/gateway';
import { type Operation, serverStream, unary } from '../../../operations/index.ts';
import { ChannelLog } from './channel-log.ts';
import { ChannelService } from './channel-service.ts';
import type { ChannelsDeps } from './channels-deps.ts';
import { ChannelMessageService, MessageForms } from './message/index.ts';
import { ChannelStreams } from './stream/index.ts';
import { SubscriptionService } from './subscription/index.ts';

/** The 14 channel operations of GatewayService. */
export const channelOperations = (deps: ChannelsDeps): readonly Operation[] => {
  const forms = new MessageForms();
  const log = new ChannelLog(deps);
  const channels = new ChannelService(deps);
  const messages = new ChannelMessageService(deps, log, forms);
  const subscriptions = new SubscriptionService(deps);
  const streams = new ChannelStreams(deps, log, forms);
  const { method } = GatewayService;
  return [
    unary(method.createChannel, (request, call) => channels.create(request, call)),
    unary(method.getChannel, (request) => channels.get(request)),
    unary(method.modifyChannel, (request, call) => channels.modify(request, call)),
    unary(method.listChannels, (request) => channels.list(request)),
    unary(method.deleteChannel, (request, call) => channels.delete(request, call)),
    unary(method.postChannelMessage, (request, call) => messages.post(request, call)),
    unary(method.getChannelMessage, (request) => messages.get(request)),
    unary(method.listChannelMessages, (request) => messages.list(request)),
    unary(method.createChannelSubscription, (request, call) => subscriptions.create(request, call)),
    unary(method.getChannelSubscription, (request) => subscriptions.get(request)),
    unary(method.modifyChannelSubscription, (request, call) => subscriptions.modify(request, call)),
    unary(method.listChannelSubscriptions, (request) => subscriptions.list(request)),
    unary(method.deleteChannelSubscription, (request, call) => subscriptions.delete(request, call)),
    serverStream(method.streamChannelEvents, (request, call, sink) => streams.stream(request, call, sink)),
  ];
};
