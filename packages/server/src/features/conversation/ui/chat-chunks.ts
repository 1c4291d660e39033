import { textOrEmpty } from '../../../base/index.ts';
import { EVENT, PART, type Part, type SessionEvent } from '../../../runtime/contract.ts';
import type { ObjectLinks } from './ui-deps.ts';

/** One chunk of the AI SDK UI message stream; members by type as the SDK reads them. */
export type UiChunk = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface ChunkOptions {
  readonly links: ObjectLinks;
  /** `resetStep=true`: the client understands `reset-step`. */
  readonly resetStep: boolean;
  /** Tool calls that the client already knows to have been asked about, when it joins in the middle of a turn. */
  readonly askedCalls: readonly string[];
  /** The stream begins inside the step whose calls were asked about. */
  readonly insideStep: boolean;
}

type OpenText = { readonly kind: 'text' | 'reasoning'; readonly id: string };

const FINISH: Readonly<Record<string, string>> = { limit: 'length', refused: 'content-filter' };

/**
 * Turns the events of one turn into UI chunks. Stateful: text parts are opened and closed, model calls become
 * steps, and after a RESET the steps that were sent whole are left out when they come again.
 */
export class ChatChunks {
  readonly #options: ChunkOptions;
  readonly #asked: Set<string>;
  #chunks: UiChunk[] = [];
  #messageId = '';
  #text: OpenText | undefined;
  #stepOpen: boolean;
  /** The model's answer of this step is complete: what comes next belongs to another step, tools aside. */
  #stepAnswered: boolean;
  readonly #openCalls = new Set<string>();
  /** Permission requests without an answer, with the call each is about. */
  readonly #unanswered = new Map<string, string>();
  /** Questions of other kinds than permission, as they were asked. */
  readonly #requests = new Map<string, NonNullable<Part['payload']>>();
  #stepCalls = 0;
  /** Highest part id of steps sent whole in this message; those parts are not sent again. */
  #wholeThrough = '';

  constructor(options: ChunkOptions) {
    this.#options = options;
    this.#asked = new Set(options.askedCalls);
    this.#stepOpen = options.insideStep;
    this.#stepAnswered = options.insideStep;
  }

  /** True while nothing can happen before a person answers a permission request. */
  get waitsForAnswer(): boolean {
    const asked = new Set(this.#unanswered.values());
    return asked.size > 0 && [...this.#openCalls].every((call) => asked.has(call));
  }

  /** Chunks that end the answer while the turn waits: the client sends the answers in a request of its own. */
  pause(): readonly UiChunk[] {
    this.#chunks = [];
    this.#endText();
    this.#emit({ type: 'finish', finishReason: 'tool-calls' });
    return this.#chunks;
  }

  /** Chunks of the next event, in order; the terminal event's end the message. */
  next(event: SessionEvent): readonly UiChunk[] {
    this.#chunks = [];
    this.#enter(event);
    if (event.kind === EVENT.DELTA && event.part !== undefined) this.#part(event.part, event);
    else if (event.kind === EVENT.RESET) this.#reset(event);
    else if (event.kind === EVENT.DONE) this.#done(event.reason);
    else if (event.kind === EVENT.ERROR) this.#error(event.part?.content ?? event.reason);
    return this.#chunks;
  }

  #emit(chunk: UiChunk): void {
    this.#chunks.push(chunk);
  }

  #enter(event: SessionEvent): void {
    const { messageId, turnId, sessionId } = event;
    if (this.#messageId === '') {
      this.#emit({ type: 'start', messageId, messageMetadata: { turnId, sessionId } });
    } else if (messageId !== '' && messageId !== this.#messageId) {
      this.#endStep();
      this.#wholeThrough = '';
      this.#emit({ type: 'data-message', data: { messageId } });
    } else return;
    this.#messageId = messageId;
  }

  #part(part: Part, event: SessionEvent): void {
    if (this.#wholeThrough !== '' && part.id <= this.#wholeThrough) return;
    if (part.type === PART.TEXT || part.type === PART.REASONING) this.#textPiece(part);
    else if (part.type === PART.TOOL_CALL) this.#toolCall(part);
    else if (part.type === PART.TOOL_RESULT) this.#toolResult(part);
    else if (part.type === PART.REQUEST_PERMISSION) this.#permission(part);
    else if (part.type === PART.PERMISSION_RESULT) this.#answered(part);
    else if (part.type === PART.USAGE) this.#usage(part);
    else if (part.object !== undefined || typeof part.payload?.['url'] === 'string') this.#file(part, event.namespace);
  }

  #textPiece(part: Part): void {
    const kind = part.type === PART.TEXT ? 'text' : 'reasoning';
    this.#enterStep();
    if (this.#text?.kind !== kind || this.#text.id !== part.id) {
      this.#endText();
      this.#text = { kind, id: part.id };
      this.#emit({ type: `${kind}-start`, id: part.id });
    }
    this.#emit({ type: `${kind}-delta`, id: part.id, delta: part.content ?? '' });
  }

  #toolCall(part: Part): void {
    this.#endText();
    if (!this.#stepOpen) this.#enterStep();
    const toolCallId = textOrEmpty(part.payload?.['tool_call_id']);
    this.#openCalls.add(toolCallId);
    this.#stepCalls += 1;
    const input = part.payload?.['input'] ?? {};
    this.#emit({ type: 'tool-input-available', toolCallId, toolName: part.name ?? '', input, dynamic: true });
  }

  #toolResult(part: Part): void {
    const { payload = {} } = part;
    const toolCallId = textOrEmpty(payload['tool_call_id']);
    this.#openCalls.delete(toolCallId);
    for (const [request, call] of this.#unanswered) if (call === toolCallId) this.#unanswered.delete(request);
    const output = payload['output'] ?? part.content ?? '';
    const isDenied = (output as { readonly code?: unknown }).code === 'denied' && this.#asked.has(toolCallId);
    if (isDenied) this.#emit({ type: 'tool-output-denied', toolCallId });
    else if (payload['is_error'] === true) {
      this.#emit({ type: 'tool-output-error', toolCallId, errorText: errorText(part, output), dynamic: true });
    } else this.#emit({ type: 'tool-output-available', toolCallId, output, dynamic: true });
    if (this.#isStepWhole()) this.#wholeThrough = part.id;
  }

  #permission(part: Part): void {
    const { payload = {} } = part;
    const [approvalId, toolCallId] = [textOrEmpty(payload['request_id']), textOrEmpty(payload['tool_call_id'])];
    // Only permission is a yes or no that the chat libraries know how to ask for.
    if ((payload['kind'] ?? 'permission') !== 'permission') {
      this.#requests.set(approvalId, payload);
      this.#emit({ type: 'data-request', id: approvalId, data: payload });
      return;
    }
    this.#asked.add(toolCallId);
    this.#unanswered.set(approvalId, toolCallId);
    this.#emit({ type: 'tool-approval-request', approvalId, toolCallId });
    this.#emit({ type: 'data-permission', id: approvalId, data: payload });
  }

  #answered({ payload = {} }: Part): void {
    const id = textOrEmpty(payload['request_id']);
    this.#unanswered.delete(id);
    const asked = this.#requests.get(id);
    // The same part again, now with its answer.
    if (asked !== undefined) this.#emit({ type: 'data-request', id, data: { ...asked, ...payload } });
  }

  #usage(part: Part): void {
    this.#endText();
    this.#enterStep();
    this.#stepAnswered = true;
    this.#emit({ type: 'message-metadata', messageMetadata: { usage: part.payload ?? {} } });
  }

  #file(part: Part, namespace: string): void {
    this.#endText();
    this.#enterStep();
    const url =
      part.object === undefined ? textOrEmpty(part.payload?.['url']) : this.#options.links.link(namespace, part.object);
    this.#emit({ type: 'file', url, mediaType: part.object?.mediaType ?? 'application/octet-stream' });
  }

  /** Shown again after this: everything of the message but the steps that were sent whole. */
  #reset(event: SessionEvent): void {
    this.#endText();
    const isWhole = this.#stepOpen && this.#isStepWhole();
    if (isWhole) this.#endStep();
    if (this.#options.resetStep) {
      if (this.#stepOpen) this.#emit({ type: 'reset-step' });
    } else {
      const data = { messageId: event.messageId, attempt: event.attempt };
      this.#emit({ type: 'data-reset', data, transient: true });
    }
    // The step continues under its own start-step: reset-step removes only what follows that.
    this.#stepAnswered = false;
    this.#openCalls.clear();
    this.#stepCalls = 0;
  }

  #done(reason: string): void {
    this.#endStep();
    if (reason === 'stopped') this.#emit({ type: 'abort', reason });
    else this.#emit({ type: 'finish', finishReason: FINISH[reason] ?? 'stop' });
  }

  #error(text: string): void {
    this.#endStep();
    this.#emit({ type: 'error', errorText: text });
  }

  /** Begins a step, ending an answered one: the model was called again. */
  #enterStep(): void {
    if (this.#stepOpen && !this.#stepAnswered) return;
    this.#endStep();
    this.#stepOpen = true;
    this.#emit({ type: 'start-step' });
  }

  #endStep(): void {
    this.#endText();
    if (!this.#stepOpen) return;
    this.#stepOpen = false;
    this.#stepAnswered = false;
    this.#openCalls.clear();
    this.#stepCalls = 0;
    this.#emit({ type: 'finish-step' });
  }

  #endText(): void {
    if (this.#text === undefined) return;
    this.#emit({ type: `${this.#text.kind}-end`, id: this.#text.id });
    this.#text = undefined;
  }

  /** Answered, with calls, and every call has its result: recorded, so a RESET repeats it unchanged. */
  #isStepWhole(): boolean {
    return this.#stepAnswered && this.#stepCalls > 0 && this.#openCalls.size === 0;
  }
}

const errorText = (part: Part, output: NonNullable<unknown>): string => {
  const { error } = output as { readonly error?: unknown };
  if (typeof error === 'string') return error;
  return typeof output === 'string' ? output : (part.content ?? JSON.stringify(output));
};
