import { create } from '@bufbuild/protobuf';
import { MessageRole, PermissionDecision, type SessionMessagePart, SessionMessagePartSchema } from '@svc/api/data';
import {
  AnswerPermissionRequestSchema,
  SendMessageRequestSchema,
  StopSessionGenerationRequestSchema,
  WhenBusy,
} from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { Fault, invalidField, isUuid, notFound } from '../../../base/index.ts';
import { type Admitted, mediaPartType, type ObjectData, type Part, type TurnCause } from '../../../runtime/contract.ts';
import type { MessageRow, SessionRow, WriteTx } from '../../../store/contracts/index.ts';
import { type InboundContents, messageHolder } from './inbound/index.ts';
import type { MessageService } from './message-service.ts';
import type { RequestService } from './requests/index.ts';
import { causeOf, lockSession, readSession, recordWrite, type SessionNames } from './session-access.ts';
import type { SessionsContext } from './sessions-deps.ts';

interface ChatContent {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly sha256: string;
}

interface ChatFile {
  readonly source: { readonly url: string } | ChatContent;
  readonly mediaType: string;
  readonly filename: string;
}

interface ChatMessage {
  readonly text: string;
  readonly files: readonly ChatFile[];
  readonly labels: Readonly<Record<string, string>>;
  readonly whenBusy: 'QUEUE' | 'STEER' | 'REJECT' | 'INTERRUPT';
  /** Turns elsewhere that led to the message; absent: none. */
  readonly lineage?: TurnCause['lineage'];
  /** Why the turn begins; absent: a call of the API. */
  readonly cause?: string;
  /** Runs in the transaction that admits the message, and never again for the same one. */
  readonly admitted?: (tx: WriteTx, turnId: string) => Promise<void>;
}

interface ChatAnswer {
  readonly requestId: string;
  readonly allow: boolean;
  readonly comment: string;
  /** Absent: the first option with that decision. */
  readonly optionId?: string;
  /** The data that a request asks for. */
  readonly value?: unknown;
}

/** How far back the user message of an assistant message is searched. */
const LOOK_BACK = 50;

/** Sessions as a browser chat uses them: the same admission, stops and answers as the operations. */
export class ChatService {
  readonly #context: SessionsContext;
  readonly #messages: MessageService;
  readonly #requests: RequestService;

  constructor(context: SessionsContext, messages: MessageService, requests: RequestService) {
    this.#context = context;
    this.#messages = messages;
    this.#requests = requests;
  }

  send(names: SessionNames, message: ChatMessage, call: CallContext): Promise<Admitted> {
    const request = create(SendMessageRequestSchema, {
      ...namesOf(names),
      message: message.text,
      labels: message.labels,
      whenBusy: WhenBusy[message.whenBusy],
      parts: message.files.map(filePart),
    });
    const { files, lineage = [], cause = 'api', admitted } = message;
    return this.#messages.admit(request, call, {
      contents: contentsOf(files),
      lineage,
      cause,
      ...(admitted === undefined ? {} : { admitted }),
    });
  }

  async regenerate(names: SessionNames, messageId: string, call: CallContext): Promise<Admitted> {
    return await this.#context.store.write(async (tx) => {
      const session = await lockSession(tx, names, this.#context);
      if (session.openTurns > 0)
        throw new Fault('RESOURCE_EXHAUSTED', 'SESSION_BUSY', `session ${session.id} is busy`, {
          metadata: { session_id: session.id, active_turn_id: session.activeTurnId },
        });
      const { reply, question } = await lastExchange(tx, session, messageId);
      await tx.log.deleteMessages(session.id, [question.id, reply.id]);
      const parts = JSON.parse(question.parts) as Part[];
      const labels = ownLabels(question);
      const admitted = await this.#context.admission.admit(tx, {
        namespace: session.namespace,
        agent: session.agent,
        sessionId: session.id,
        parts,
        labels,
        whenBusy: 'REJECT',
        cause: causeOf(call, labels),
      });
      for (const { object } of parts)
        if (object !== undefined)
          await this.#context.objects.hold(
            tx,
            session.namespace,
            object,
            messageHolder(session.id, admitted.messageId),
          );
      for (const gone of [question.id, reply.id])
        await tx.objects.dropReferences(messageHolder(session.id, gone), tx.steadyNow());
      const { turnId } = admitted;
      await recordWrite(tx, { call, names, turnId, messageId: admitted.messageId }, this.#context);
      return admitted;
    });
  }

  async permissionTurn(names: SessionNames, requestId: string): Promise<string> {
    const { direct } = this.#context.store;
    const session = await readSession(direct, names);
    const asked = isUuid(requestId) ? await direct.log.permission(requestId) : undefined;
    if (asked?.sessionId === session.id) return asked.turnId;
    throw notFound('PermissionRequest', { session_id: session.id, request_id: requestId });
  }

  async answer(names: SessionNames, answer: ChatAnswer, call: CallContext): Promise<void> {
    const { requestId, allow, comment, optionId = '', value } = answer;
    const decision = allow ? PermissionDecision.ALLOW : PermissionDecision.DENY;
    const answerJson = value === undefined ? '' : JSON.stringify(value);
    const asked = { requestId, decision, comment, optionId, answerJson };
    const request = create(AnswerPermissionRequestSchema, { ...namesOf(names), ...asked });
    await this.#requests.answer(request, call);
  }

  /** The object of a part of a finished message. */
  async partObject(names: SessionNames, messageId: string, partId: string): Promise<ObjectData> {
    const { direct } = this.#context.store;
    const session = await readSession(direct, names);
    const message = isUuid(messageId) ? await direct.log.message(session.id, messageId) : undefined;
    const parts = message === undefined ? [] : (JSON.parse(message.parts) as readonly Part[]);
    const object = parts.find(({ id }) => id === partId)?.object;
    if (object !== undefined) return object;
    throw notFound('MessagePart', { session_id: session.id, message_id: messageId, part_id: partId });
  }

  /** Without a turn everything that is open. */
  async stop(names: SessionNames, call: CallContext, turnId = ''): Promise<void> {
    await this.#messages.stop(create(StopSessionGenerationRequestSchema, { ...namesOf(names), turnId }), call);
  }

  /** Running or waiting turn, or the one that is about to run; '' when nothing does. */
  async runningTurn(names: SessionNames): Promise<string> {
    const { direct } = this.#context.store;
    const session = await readSession(direct, names);
    if (session.openTurns === 0 || session.activeTurnId !== '') return session.activeTurnId;
    const [next] = await direct.log.openTurns(session.id);
    return next?.id ?? '';
  }
}

const namesOf = (names: SessionNames): SessionNames => ({
  ns: names.ns,
  agent: names.agent,
  sessionId: names.sessionId,
});

/** A file as a part; one that came with its bytes names them by their hash. */
const filePart = ({ source, mediaType, filename }: ChatFile): SessionMessagePart =>
  create(SessionMessagePartSchema, {
    partType: mediaPartType(mediaType),
    name: filename,
    ...('url' in source
      ? { payloadJson: JSON.stringify({ url: source.url }) }
      : { object: { sha256: source.sha256, mediaType: source.mediaType, sizeBytes: BigInt(source.bytes.length) } }),
  });

const contentsOf = (files: readonly ChatFile[]): InboundContents =>
  new Map(files.flatMap(({ source }) => ('url' in source ? [] : [[source.sha256, source.bytes] as const])));

/** The newest message, which must be an assistant's, and the user message before it. */
const lastExchange = async (
  tx: WriteTx,
  session: SessionRow,
  messageId: string,
): Promise<{ readonly reply: MessageRow; readonly question: MessageRow }> => {
  const newest = await tx.log.messagesBefore(session.id, undefined, LOOK_BACK);
  const [reply] = newest;
  if (reply?.role !== MessageRole.ROLE_ASSISTANT) throw invalidField('messages', 'there is no answer to make again');
  if (messageId !== '' && messageId !== reply.id)
    throw invalidField('messageId', 'is not the newest assistant message');
  const question = newest.find((row) => row.role === MessageRole.ROLE_USER);
  if (question === undefined) throw invalidField('messages', 'the answer belongs to no user message');
  return { reply, question };
};

const ownLabels = (message: MessageRow): Record<string, string> =>
  Object.fromEntries(Object.entries(message.labels).filter(([key]) => !key.startsWith('svc/')));
