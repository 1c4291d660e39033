import type { JsonDecoder } from '../codec/index.ts';
import type { MethodEntry } from '../dispatcher/index.ts';
import { bindAppendMessage, bindChannelMessage, bindMessageParts, bindSendMessage } from './message-bodies.ts';
import {
  type BindBody,
  flatBinder,
  flatKinds,
  manifestBinder,
  resourceField,
  wrappedBinder,
} from './resource-bodies.ts';

export type { BindBody } from './resource-bodies.ts';

const messageBinders: Readonly<Record<string, BindBody>> = {
  SendMessage: bindSendMessage,
  AppendSessionMessage: bindAppendMessage,
  PostChannelMessage: bindChannelMessage,
  UpdateSessionMessage: bindMessageParts,
};

const writesKind = /^(Create|Modify|Update|Prepare|Apply)/;

/** How an operation's REST body becomes the JSON of its request: a bare resource may stand for the whole request. */
export const bodyBinder = (method: MethodEntry, decoder: JsonDecoder): BindBody => {
  const name = method.operation.slice(method.operation.indexOf('/') + 1);
  const message = messageBinders[name];
  if (message !== undefined) return message;
  const flat = flatKinds[name];
  if (flat !== undefined) return flatBinder(method, flat, decoder);
  const field = writesKind.test(name) ? resourceField(method) : undefined;
  if (field === undefined) return (body) => body;
  return name === 'ApplyResource' ? manifestBinder(method, field) : wrappedBinder(method, field);
};
