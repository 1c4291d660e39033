import type { ContentChunk } from '../attempt.ts';
import type { ChunkSink, ModelChunk } from '../contract.ts';

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Pieces of text after which the chain they make in memory becomes one string. */
const FLAT_EVERY = 16;

/**
 * What one model call shows, over all its tries: keeps surrogate pairs together, remembers whether anything was
 * shown, and keeps the text for an estimate of its tokens. Nothing passes after `close`.
 */
export class CallOutput {
  readonly #sink: ChunkSink;
  #held = '';
  #heldType: 'text' | 'reasoning' = 'text';
  #written = '';
  #reasoning = '';
  #warned: Set<string> | undefined;
  #isClosed = false;
  #pieces = 0;
  /** True once text, reasoning, a call or a file was shown: no other try may follow. */
  hasContent = false;

  constructor(sink: ChunkSink) {
    this.#sink = sink;
  }

  /** Text, call names and arguments, without reasoning. */
  get written(): string {
    return this.#written;
  }

  get reasoning(): string {
    return this.#reasoning;
  }

  emit(chunk: ContentChunk): void {
    if (this.#isClosed) return;
    if (chunk.type === 'text' || chunk.type === 'reasoning') {
      this.#emitText(chunk.type, chunk.text);
      return;
    }
    if (chunk.type === 'warning') {
      this.#emitWarning(chunk);
      return;
    }
    this.#releaseHeld();
    if (chunk.type !== 'reasoning-end') this.hasContent = true;
    if (chunk.type === 'call') this.#written += ` ${chunk.name} ${chunk.inputText}`;
    this.#sink(chunk);
  }

  /** Delivers the last chunk; later ones are dropped. */
  close(last: Extract<ModelChunk, { readonly type: 'finish' | 'error' }>): void {
    if (this.#isClosed) return;
    this.#releaseHeld();
    this.#isClosed = true;
    this.#sink(last);
  }

  /** Shows a held half surrogate as a replacement character: its other half never came. */
  #releaseHeld(): void {
    if (this.#held === '') return;
    this.#held = '';
    this.#pass(this.#heldType, '\ufffd');
  }

  #emitText(type: 'text' | 'reasoning', delta: string): void {
    let text = delta;
    if (this.#held !== '') {
      if (type === this.#heldType) {
        text = this.#held + delta;
        this.#held = '';
      } else this.#releaseHeld();
    }
    if (text === '') return;
    if (isHighSurrogate(text.charCodeAt(text.length - 1))) {
      this.#held = text.slice(-1);
      this.#heldType = type;
      text = text.slice(0, -1);
      if (text === '') return;
    }
    this.#pass(type, text.isWellFormed() ? text : text.toWellFormed());
  }

  #pass(type: 'text' | 'reasoning', text: string): void {
    this.hasContent = true;
    if (type === 'text') this.#written += text;
    else this.#reasoning += text;
    this.#pieces += 1;
    if (this.#pieces % FLAT_EVERY === 0) this.#flatten();
    this.#sink({ type, text });
  }

  /** A text that grows piece by piece is a chain of its pieces, twice their size, until one of its characters is read. */
  #flatten(): void {
    this.#written.charCodeAt(0);
    this.#reasoning.charCodeAt(0);
  }

  #emitWarning(chunk: Extract<ContentChunk, { readonly type: 'warning' }>): void {
    this.#warned ??= new Set();
    if (this.#warned.has(chunk.option)) return;
    this.#warned.add(chunk.option);
    this.#sink(chunk);
  }
}
