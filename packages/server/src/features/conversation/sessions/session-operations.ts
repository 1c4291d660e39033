import { GatewayService, SessionControlService } from '@svc/api/gateway';
import { type Operation, serverStream, unary } from '../../../operations/index.ts';
import { ChatService } from './chat-service.ts';
import { ConsoleSource } from './console-source.ts';
import { ControlService } from './control-service.ts';
import { MessageService } from './message-service.ts';
import { SessionService } from './session-service.ts';
import type { SessionsDeps } from './sessions-deps.ts';
import { StreamService } from './stream-service.ts';
import { MessageMessages } from './wire/index.ts';

/** What this feature offers: operations for transport, and what the browser surface needs of sessions. */
export interface SessionsFeature {
  readonly operations: readonly Operation[];
  readonly chat: ChatService;
  readonly console: ConsoleSource;
}

/** The 11 session operations of GatewayService and SessionControlService without RunSchedule. */
export const sessionsFeature = (deps: SessionsDeps): SessionsFeature => {
  const context = { ...deps, messages: new MessageMessages(deps.limits.messageCacheBytes) };
  const sessions = new SessionService(context);
  const messages = new MessageService(context);
  const control = new ControlService(context, sessions);
  const streams = new StreamService(deps);
  const { method: gateway } = GatewayService;
  const { method: controls } = SessionControlService;
  const chat = new ChatService(context, messages, control);
  const operations = [
    unary(gateway.createSession, (request, call) => sessions.create(request, call)),
    unary(gateway.getSession, (request) => sessions.get(request)),
    unary(gateway.listSessions, (request) => sessions.list(request)),
    unary(gateway.deleteSession, (request, call) => sessions.delete(request, call)),
    unary(gateway.clearSession, (request, call) => sessions.clear(request, call)),
    unary(gateway.listSessionMessages, (request) => messages.list(request)),
    unary(gateway.sendMessage, (request, call) => messages.send(request, call)),
    unary(gateway.appendSessionMessage, (request, call) => messages.append(request, call)),
    unary(gateway.stopSessionGeneration, (request, call) => messages.stop(request, call)),
    serverStream(gateway.streamSessionParts, (request, call, sink) => streams.one(request, call, sink)),
    serverStream(gateway.streamSessionPartsBatch, (request, call, sink) => streams.batch(request, call, sink)),
    unary(controls.updateSessionMessage, (request, call) => control.updateMessage(request, call)),
    unary(controls.answerPermission, (request, call) => control.answerPermission(request, call)),
    unary(controls.forkSession, (request, call) => control.fork(request, call)),
    unary(controls.listTurns, (request) => control.listTurns(request)),
    unary(controls.getTurn, (request) => control.getTurn(request)),
    unary(controls.listPermissionRequests, (request) => control.listPermissions(request)),
  ];
  return { operations, chat, console: new ConsoleSource(context) };
};
