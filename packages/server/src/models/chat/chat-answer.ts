import { isRecord, textOrEmpty } from '../../base/index.ts';
import { type Attempt, failed, type Outcome, type ReportedUsage } from '../attempt.ts';
import type { ModelFinish } from '../contract.ts';
import { failureOf, failureOfErrorEvent } from '../failure-rules.ts';
import type { ChatContinuation } from './chat-request.ts';
import { readChatUsage } from './chat-usage.ts';
import { DeltaTemplate } from './delta-template.ts';

interface OpenCall {
  id: string;
  name: string;
  inputText: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** A map, because servers may send any word. */
const FINISHES: ReadonlyMap<string, ModelFinish> = new Map([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content_filter'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
]);

/** Fields in which servers send reasoning text; the first one used is the one it is sent back in. */
const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

/** Members that an event or a choice may have in addition to its text without saying anything more. */
const SILENT_MEMBERS = new Set([
  'id',
  'object',
  'created',
  'model',
  'index',
  'service_tier',
  'system_fingerprint',
  'provider',
]);

const saysNoMore = (fields: Fields, named: string): boolean =>
  Object.entries(fields).every(([name, value]) => name === named || value === null || SILENT_MEMBERS.has(name));

/** The text of an event that carries nothing else. */
const loneText = (event: Fields): string | undefined => {
  const choices = event['choices'];
  if (!Array.isArray(choices) || choices.length !== 1 || !saysNoMore(event, 'choices')) return undefined;
  const choice: unknown = choices[0];
  if (!isRecord(choice) || !saysNoMore(choice, 'delta')) return undefined;
  const delta = choice['delta'];
  if (!isRecord(delta) || !saysNoMore(delta, 'content')) return undefined;
  const text = delta['content'];
  return typeof text === 'string' ? text : undefined;
};

/**
 * Collects the events of one chat-completions answer. Text is passed on by `flush`, once for each network chunk; calls
 * are passed on whole at the end.
 */
export class ChatAnswer {
  readonly #attempt: Attempt;
  #text = '';
  #reasoning = '';
  #isReasoning = false;
  #reasoningField = '';
  #details: unknown[] | undefined;
  readonly #template = new DeltaTemplate();
  readonly #calls: OpenCall[] = [];
  readonly #callAt = new Map<number, OpenCall>();
  #finish: ModelFinish | undefined;
  #usage: ReportedUsage | undefined;
  #requestId: string | undefined;
  /** Set when the answer is decided: by the end mark, an error event or a broken event. */
  outcome: Outcome | undefined;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  /** A network chunk that is one whole event of a known shape; false when it has to be read as usual. */
  readKnown(chunk: Buffer): boolean {
    if (this.outcome !== undefined) return false;
    const text = this.#template.match(chunk);
    if (text === undefined) return false;
    this.#addText(text);
    return true;
  }

  /** One event's data. Never throws. */
  read(data: string): void {
    if (this.outcome !== undefined) return;
    if (data === '[DONE]') {
      this.#complete();
      return;
    }
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      this.#breakOff();
      return;
    }
    if (!isRecord(event)) {
      this.#breakOff();
      return;
    }
    this.readEvent(event);
    const text = loneText(event);
    if (text !== undefined) this.#template.learn(data, text);
  }

  readEvent(event: Fields): void {
    if (event['error'] !== undefined && event['error'] !== null) {
      this.flush();
      this.outcome = failed(failureOfErrorEvent(event));
      return;
    }
    if (this.#requestId === undefined && typeof event['id'] === 'string') this.#requestId = event['id'];
    const choices = event['choices'];
    if (Array.isArray(choices) && choices.length > 0) this.#readChoice(choices[0]);
    if (isRecord(event['usage'])) this.#usage = readChatUsage(event['usage']) ?? this.#usage;
    else if (isRecord(event['x_groq'])) this.#usage = readChatUsage(event['x_groq']['usage']) ?? this.#usage;
  }

  /** The body ended without the end mark: complete only when a finish reason came. */
  end(): void {
    if (this.outcome !== undefined) return;
    if (this.#finish !== undefined) this.#complete();
    else {
      this.flush();
      this.outcome = failed(failureOf('provider_stream'));
    }
  }

  /** Passes on what was collected since the last flush. */
  flush(): void {
    if (this.#reasoning !== '') {
      const text = this.#reasoning;
      this.#reasoning = '';
      this.#attempt.emit({ type: 'reasoning', text });
    }
    if (this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    this.#attempt.emit({ type: 'text', text });
  }

  #readChoice(choice: unknown): void {
    if (!isRecord(choice)) return;
    const delta = choice['delta'] ?? choice['message'];
    if (isRecord(delta)) this.#readDelta(delta);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '') this.#finish = FINISHES.get(reason) ?? 'stop';
  }

  #readDelta(delta: Fields): void {
    this.#readReasoning(delta);
    const content = delta['content'];
    if (typeof content === 'string') {
      if (content !== '') this.#addText(content);
    } else if (Array.isArray(content)) {
      for (const part of content) if (isRecord(part)) this.#addText(textOrEmpty(part['text']));
    }
    const refusal = delta['refusal'];
    if (typeof refusal === 'string') this.#addText(refusal);
    const calls = delta['tool_calls'];
    if (Array.isArray(calls)) for (const call of calls) if (isRecord(call)) this.#readCall(call);
  }

  #readReasoning(delta: Fields): void {
    for (const field of REASONING_FIELDS) {
      const text = delta[field];
      if (typeof text !== 'string' || text === '') continue;
      if (this.#text !== '') this.flush();
      this.#isReasoning = true;
      if (this.#reasoningField === '') this.#reasoningField = field;
      this.#reasoning += text;
      break;
    }
    const details = delta['reasoning_details'];
    if (!Array.isArray(details)) return;
    this.#isReasoning = true;
    this.#details ??= [];
    this.#details.push(...details);
  }

  #addText(text: string): void {
    if (text === '') return;
    if (this.#reasoning !== '') this.flush();
    this.#text += text;
  }

  /** Once, at the end: servers take the reasoning of an answer back as a whole. */
  #endReasoning(): void {
    if (!this.#isReasoning) return;
    const continuation: ChatContinuation = {
      field: this.#reasoningField === '' ? 'reasoning' : this.#reasoningField,
      ...(this.#details === undefined ? {} : { details: this.#details }),
    };
    this.#attempt.emit({ type: 'reasoning-end', continuation });
  }

  #readCall(delta: Fields): void {
    const call = this.#callOf(delta);
    const id = textOrEmpty(delta['id']);
    if (call.id === '') call.id = id;
    const fn = delta['function'];
    if (!isRecord(fn)) return;
    if (call.name === '') call.name = textOrEmpty(fn['name']);
    const input = fn['arguments'];
    if (typeof input === 'string') call.inputText += input;
    else if (isRecord(input)) call.inputText = JSON.stringify(input);
  }

  /** Some servers leave the index out or give all calls the same one; a new id with a name then opens a new call. */
  #callOf(delta: Fields): OpenCall {
    const id = textOrEmpty(delta['id']);
    const index = typeof delta['index'] === 'number' ? delta['index'] : undefined;
    const last = this.#calls.at(-1);
    const known = index === undefined ? last : this.#callAt.get(index);
    const fn = delta['function'];
    const hasName = isRecord(fn) && textOrEmpty(fn['name']) !== '';
    const isNew = known === undefined || (hasName && id !== '' && known.id !== '' && id !== known.id);
    const isUnnumberedNew = index === undefined && hasName && id === '';
    if (!isNew && !isUnnumberedNew) return known;
    const call: OpenCall = { id: '', name: '', inputText: '' };
    this.#calls.push(call);
    if (index !== undefined) this.#callAt.set(index, call);
    return call;
  }

  /** After a finish reason only usage and the end mark follow; losing them loses no text. */
  #breakOff(): void {
    if (this.#finish !== undefined) return;
    this.flush();
    this.outcome = failed(
      failureOf('provider_stream', { sentence: 'The model provider sent an event that cannot be read.' }),
    );
  }

  #complete(): void {
    this.flush();
    this.#endReasoning();
    for (const call of this.#calls) {
      if (call.name === '') continue;
      const inputText = call.inputText.trim() === '' ? '{}' : call.inputText;
      this.#attempt.emit({ type: 'call', providerCallId: call.id, name: call.name, inputText });
    }
    const hasCalls = this.#calls.some((call) => call.name !== '');
    const finish = this.#finish ?? 'stop';
    this.outcome = {
      kind: 'finish',
      finish: hasCalls && finish === 'stop' ? 'tool_calls' : finish,
      usage: this.#usage,
      providerRequestId: this.#requestId,
    };
  }
}
