import { type Attempt, type ContentChunk, type Failure, failed, type Outcome } from '../attempt.ts';
import type { CatalogueEntry } from '../catalogue/index.ts';
import type { ModelRequest } from '../contract.ts';
import type { CallWatch } from './call-watch.ts';

/** The call that a try belongs to. */
export interface AttemptOwner {
  /** Takes what the model wrote; false when its consumer threw, which ends the try. */
  take(chunk: ContentChunk): boolean;
  /** A byte of a good answer came. */
  noteAnswer(): void;
}

/** One try as its driver sees it: passes on what comes until it is over, and is over once. */
export class CallAttempt implements Attempt {
  readonly request: ModelRequest;
  readonly facts: CatalogueEntry;
  readonly apiKey: string | undefined;
  readonly #owner: AttemptOwner;
  readonly #settle: (outcome: Outcome) => void;
  #watch: CallWatch | undefined;
  #cancel: (() => void) | undefined;
  #isOver = false;

  constructor(
    wanted: Pick<Attempt, 'request' | 'facts' | 'apiKey'>,
    owner: AttemptOwner,
    settle: (outcome: Outcome) => void,
  ) {
    this.request = wanted.request;
    this.facts = wanted.facts;
    this.apiKey = wanted.apiKey;
    this.#owner = owner;
    this.#settle = settle;
  }

  /** Time-outs of this try; closed with it. */
  watchBy(watch: CallWatch): void {
    this.#watch = watch;
  }

  end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#watch?.close();
    this.#settle(outcome);
  }

  abort(failure: Failure): void {
    this.end(failed(failure));
    this.#cancel?.();
  }

  emit(chunk: ContentChunk): void {
    if (!this.#isOver && !this.#owner.take(chunk)) this.abort(CRASHED);
  }

  sent(body: string): void {
    this.request.onSent?.(body);
  }

  connected(): void {
    this.#watch?.connected();
  }

  received(isAnswer: boolean): void {
    if (isAnswer && !this.#isOver) this.#owner.noteAnswer();
    this.#watch?.received();
  }

  onCancel(cancel: () => void): void {
    this.#cancel = cancel;
    if (this.#isOver) cancel();
  }

  suspendTimeouts(): () => void {
    return this.#watch?.suspend() ?? NOTHING;
  }
}

const NOTHING = (): void => undefined;

const CRASHED: Failure = {
  errorClass: 'provider_unavailable',
  sentence: 'The answer of the model could not be taken.',
};
