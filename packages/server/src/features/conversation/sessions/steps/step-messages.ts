import { create } from '@bufbuild/protobuf';
import {
  type Step,
  type StepOmission,
  StepOmissionSchema,
  type StepPiece,
  StepPieceSchema,
  StepRequestState,
  StepSchema,
} from '@svc/api/data';
import type {
  DroppedMessage,
  RebuiltRequest,
  RequestPiece,
  StepFacts,
  StepRecord,
  UnavailableReason,
} from '../../../../runtime/contract.ts';
import { objectMessage, tokenCounter } from '../wire/index.ts';

const recordFields = (record: StepRecord) => ({
  ...(record.harness?.target ?? record.target),
  ...(record.temperature === undefined ? {} : { temperature: record.temperature }),
  ...(record.outputLimit === undefined ? {} : { outputLimit: BigInt(record.outputLimit) }),
  thinkingJson: record.thinking === undefined ? '' : JSON.stringify(record.thinking),
  startedAt: BigInt(record.startedAt),
  ...(record.firstMs === undefined ? {} : { firstPieceMs: record.firstMs }),
  modelMs: record.durationMs,
  messageId: record.messageId,
  sentSha256: record.sha256,
  sentBytes: BigInt(record.bytes),
});

/** A call as the wire shows it. */
export const stepMessage = ({ usage, record, unavailable, ...facts }: StepFacts): Step => {
  const { kind, step, summary, outcome, toolCalls } = facts;
  return create(StepSchema, {
    kind,
    step,
    compaction: summary,
    outcome,
    toolCalls,
    unavailableReason: unavailable ?? '',
    ...(usage === undefined ? {} : { usage: tokenCounter(usage) }),
    ...(record === undefined ? { provider: usage?.provider ?? '', model: usage?.model ?? '' } : recordFields(record)),
  });
};

type PieceContent = Partial<Pick<StepPiece, 'form' | 'text' | 'url' | 'toolCallId' | 'isError'>>;

const contentFields = ({ source, content }: RequestPiece): PieceContent => {
  switch (content.type) {
    case 'text':
      return { form: source === 'tool' ? 'tool' : 'text', text: content.text };
    case 'reasoning':
      return { form: 'reasoning', text: content.text };
    case 'call':
      return { form: 'call', text: JSON.stringify(content.input), toolCallId: content.callId };
    case 'result':
      return { form: 'result', text: content.text, toolCallId: content.callId, isError: content.isError };
    case 'media':
      return { form: 'media', url: content.media.kind === 'url' ? content.media.url : '' };
  }
};

/** A piece as the wire shows it; bytes of files are named and not sent. */
export const pieceMessage = (piece: RequestPiece, cachedTokens: number): StepPiece =>
  create(StepPieceSchema, {
    source: piece.source,
    name: piece.name,
    role: piece.role,
    messageId: piece.messageId,
    partId: piece.partId,
    ...contentFields(piece),
    ...(piece.object === undefined ? {} : { object: objectMessage(piece.object) }),
    tokens: BigInt(piece.tokens),
    cachedTokens: BigInt(cachedTokens),
    ...(piece.cut === undefined ? {} : { tokensBeforeCut: BigInt(piece.cut.tokens) }),
  });

export const omissionMessage = ({ messageId, reason, tokens }: DroppedMessage): StepOmission =>
  create(StepOmissionSchema, { messageId, reason, tokens: BigInt(tokens) });

const EXPLANATIONS: Readonly<Record<UnavailableReason, string>> = {
  NOT_RECORDED: 'the release that made this call kept nothing of its request',
  JOURNAL_EXPIRED: 'the journal of the turn was removed; it is kept for seven days after the turn ended',
  SOURCE_EXPIRED: 'a text of the agent, its tools or skills that the request was made of is not kept any more',
  MESSAGE_EDITED: 'a message of the request was edited since',
  MESSAGE_DELETED: 'a message of the request was deleted since',
  MESSAGES_ADDED: 'messages were added to the conversation since, with ids older than those the model saw',
  OBJECT_GONE: 'a file or a stored output of the request is gone',
  PROVIDER_CHANGED: 'the provider is not configured any more, or cannot express this request',
};

const HASH_DIFFERS =
  'the request is rebuilt with another hash than what was sent had; the configuration of the provider or the model may have changed';

/** State of a rebuilt request with its reason, for programs and for people. */
export const stateFields = (request: RebuiltRequest) => {
  switch (request.state) {
    case 'exact':
      return { state: StepRequestState.EXACT, rebuiltSha256: request.sha256 };
    case 'different':
      return {
        state: StepRequestState.DIFFERENT,
        reason: 'HASH_DIFFERS',
        explanation: HASH_DIFFERS,
        rebuiltSha256: request.sha256,
      };
    case 'unavailable':
      return {
        state: StepRequestState.UNAVAILABLE,
        reason: request.reason,
        explanation: EXPLANATIONS[request.reason],
      };
  }
};
