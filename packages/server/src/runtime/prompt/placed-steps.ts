import type { ModelContent, ModelMessage } from '../../models/contract.ts';
import type { DroppedMessage, Part, RequestPiece } from '../contract.ts';
import type { ReplayStep } from '../history/index.ts';
import { type CountTokens, countContent, countMessages } from './token-count.ts';

/** The tool whose result is a document of the knowledge base. */
const READ_DOCUMENT = 'knowledge_get';

/** A message of a request with its pieces. */
export interface PlacedMessage {
  readonly message: ModelMessage;
  readonly pieces: readonly RequestPiece[];
}

/** Steps of a transcript as they were before anything was cut, with results cut, and as they were sent. */
export interface SentSteps {
  readonly source: readonly ReplayStep[];
  readonly trimmed: readonly ReplayStep[];
  readonly fitted: readonly ReplayStep[];
}

/** Where contents come from: their part, or for a call's result also the call. */
export type Parts = ReadonlyMap<ModelContent, Part>;

/** Says of each message of a transcript where its pieces come from, and what was dropped. */
export class PlacedSteps {
  readonly #sent: SentSteps;
  readonly #parts: Parts;
  readonly #count: CountTokens;

  constructor(sent: SentSteps, by: { readonly parts: Parts; readonly count: CountTokens }) {
    this.#sent = sent;
    this.#parts = by.parts;
    this.#count = by.count;
  }

  /** Index of the first step that was not dropped. */
  get #firstKept(): number {
    const { trimmed, fitted } = this.#sent;
    return fitted === trimmed ? 0 : trimmed.length - (fitted.length - 1);
  }

  dropped(): readonly DroppedMessage[] {
    const tokens = new Map<string, number>();
    for (const { messageId, messages } of this.#sent.trimmed.slice(0, this.#firstKept))
      tokens.set(messageId, (tokens.get(messageId) ?? 0) + countMessages(messages, this.#count));
    return [...tokens].map(([messageId, size]) => ({ messageId, reason: 'over_budget', tokens: size }));
  }

  messages(): readonly PlacedMessage[] {
    const { source, trimmed, fitted } = this.#sent;
    const first = this.#firstKept;
    const marker = first === 0 ? [] : fitted.slice(0, 1).flatMap((step) => this.#placed(step, step));
    return [
      ...marker,
      ...trimmed.slice(first).flatMap((step, index) => this.#placed(step, source[first + index] ?? step)),
    ];
  }

  /** `before`: the same step before anything was cut; contents keep their places. */
  #placed(step: ReplayStep, before: ReplayStep): readonly PlacedMessage[] {
    return step.messages.map((message, at) => ({
      message,
      pieces: message.content.map((content, index) =>
        this.#pieceOf({ step, message, content, before: before.messages[at]?.content[index] ?? content }),
      ),
    }));
  }

  #pieceOf(placed: {
    readonly step: ReplayStep;
    readonly message: ModelMessage;
    readonly content: ModelContent;
    readonly before: ModelContent;
  }): RequestPiece {
    const { step, message, content, before } = placed;
    const part = this.#parts.get(before);
    const tokens = countContent(content, this.#count);
    return {
      ...this.#sourceOf(step, part, content),
      role: message.role,
      messageId: step.messageId,
      partId: part?.id ?? '',
      content,
      tokens,
      ...(part?.object === undefined ? {} : { object: part.object }),
      ...(content === before ? {} : { cut: { tokens: countContent(before, this.#count), reason: 'over_budget' } }),
    };
  }

  #sourceOf(step: ReplayStep, part: Part | undefined, content: ModelContent): Pick<RequestPiece, 'source' | 'name'> {
    if (step.messageId === '') return { source: 'omission', name: '' };
    const isAdded = content.type === 'text' && content.isAdded === true;
    if (part === undefined && step.role === 'user' && isAdded) return { source: 'post_history', name: '' };
    if (content.type !== 'result' || content.name !== READ_DOCUMENT || content.isError)
      return { source: 'transcript', name: content.type === 'call' || content.type === 'result' ? content.name : '' };
    return { source: 'knowledge', name: this.#documentOf(step, content.callId) };
  }

  /** Path that the call of a result asked for. */
  #documentOf({ messages }: ReplayStep, callId: string): string {
    for (const block of messages.flatMap(({ content }) => content))
      if (block.type === 'call' && block.callId === callId) return String(block.input['path'] ?? '');
    return '';
  }
}
