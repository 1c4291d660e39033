import { create } from '@bufbuild/protobuf';
import { CreateSessionRequestSchema, GatewayService, SessionControlService } from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { type HttpRoute, type Operation, operation, operator, viewer } from '../../../operations/index.ts';
import { ChatService } from './chat-service.ts';
import { ConsoleSource } from './console-source.ts';
import { ControlService } from './control-service.ts';
import { appendedMessageBody, messagePartsBody, sentMessageBody } from './message-bodies.ts';
import { MessageService } from './message-service.ts';
import { AnswerLinks, answerRoutes, RequestService } from './requests/index.ts';
import { sessionBody } from './session-body.ts';
import { SessionService } from './session-service.ts';
import type { SessionsDeps } from './sessions-deps.ts';
import { StepService } from './steps/index.ts';
import { StreamService } from './stream-service.ts';
import { MessageMessages } from './wire/index.ts';

/** What this feature offers: operations for transport, and what the browser surface needs of sessions. */
export interface SessionsFeature {
  readonly operations: readonly Operation[];
  readonly routes: readonly HttpRoute[];
  readonly chat: ChatService;
  readonly console: ConsoleSource;
  /** Makes a session; once for all calls with the same idempotency key. Answers its id. */
  readonly createSession: (
    names: { readonly ns: string; readonly agent: string },
    call: CallContext,
  ) => Promise<string>;
}

/** The session operations of GatewayService and SessionControlService without RunSchedule, and the pages of answer links. */
export const sessionsFeature = (deps: SessionsDeps): SessionsFeature => {
  const context = { ...deps, messages: new MessageMessages(deps.limits.messageCacheBytes) };
  const sessions = new SessionService(context);
  const messages = new MessageService(context);
  const control = new ControlService(context, sessions);
  const requests = new RequestService(context);
  const links = new AnswerLinks(context);
  const streams = new StreamService(deps);
  const { method: gateway } = GatewayService;
  const createSession: SessionsFeature['createSession'] = async (names, call) =>
    (await sessions.create(create(CreateSessionRequestSchema, names), call)).sessionId;
  const chat = new ChatService(context, messages, requests);
  const operations = [
    operation(gateway.createSession, {
      access: operator('fields'),
      body: sessionBody,
      repeatable: true,
      handle: (request, call) => sessions.create(request, call),
    }),
    operation(gateway.getSession, { access: viewer('fields'), handle: (request) => sessions.get(request) }),
    operation(gateway.listSessions, { access: viewer('fields'), handle: (request) => sessions.list(request) }),
    operation(gateway.deleteSession, {
      access: operator('fields'),
      handle: (request, call) => sessions.delete(request, call),
    }),
    operation(gateway.clearSession, {
      access: operator('fields'),
      handle: (request, call) => sessions.clear(request, call),
    }),
    operation(gateway.listSessionMessages, { access: viewer('fields'), handle: (request) => messages.list(request) }),
    operation(gateway.sendMessage, {
      access: operator('fields'),
      body: sentMessageBody,
      repeatable: true,
      waits: (request) => request.waitSeconds,
      handle: (request, call) => messages.send(request, call),
    }),
    operation(gateway.appendSessionMessage, {
      access: operator('fields'),
      body: appendedMessageBody,
      repeatable: true,
      handle: (request, call) => messages.append(request, call),
    }),
    operation(gateway.stopSessionGeneration, {
      access: operator('fields'),
      handle: (request, call) => messages.stop(request, call),
    }),
    operation(gateway.streamSessionParts, {
      access: viewer('fields'),
      cursorField: 'after',
      handle: (request, call, sink) => streams.one(request, call, sink),
    }),
    operation(gateway.streamSessionPartsBatch, {
      access: viewer('batch'),
      handle: (request, call, sink) => streams.batch(request, call, sink),
    }),
    operation(method.compactSession, {
      access: operator('fields'),
      handle: (request, call) => sessions.compact(request, call),
    }),
    ...controlOperations(control),
    ...stepOperations(new StepService(context)),
    ...requestOperations(requests, links),
  ];
  const routes = answerRoutes(links, () => deps.store.now());
  return { operations, routes, chat, console: new ConsoleSource(context), createSession };
};

const { method } = SessionControlService;

const controlOperations = (control: ControlService): readonly Operation[] => [
  operation(method.updateSessionMessage, {
    access: operator('fields'),
    body: messagePartsBody,
    handle: (request, call) => control.updateMessage(request, call),
  }),
  operation(method.forkSession, {
    access: operator('fields'),
    handle: (request, call) => control.fork(request, call),
  }),
  operation(method.listTurns, { access: viewer('fields'), handle: (request) => control.listTurns(request) }),
  operation(method.getTurn, { access: viewer('fields'), handle: (request) => control.getTurn(request) }),
];

const stepOperations = (steps: StepService): readonly Operation[] => [
  operation(method.listSteps, { access: viewer('fields'), handle: (request) => steps.list(request) }),
  operation(method.getStepRequest, { access: viewer('fields'), handle: (request) => steps.request(request) }),
];

const requestOperations = (requests: RequestService, links: AnswerLinks): readonly Operation[] => [
  operation(method.answerPermission, {
    access: operator('fields'),
    handle: (request, call) => requests.answer(request, call),
  }),
  operation(method.createAnswerLink, {
    access: operator('fields'),
    handle: (request, call) => links.create(request, call),
  }),
  operation(method.listPermissionRequests, {
    access: viewer('fields'),
    handle: (request, call) => requests.list(request, call),
  }),
];
