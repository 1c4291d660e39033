import type { CancelTimer, Clock } from '../../base/index.ts';
import { type Attempt, failed, type Outcome } from '../attempt.ts';
import { failureOf, failureOfStatus } from '../failure-rules.ts';
import {
  type ExchangeControl,
  type ExchangeHandler,
  headerText,
  MAX_ERROR_BYTES,
  parseJsonBody,
  type ResponseHeaders,
} from '../http/index.ts';
import { ChatAnswer } from './chat-answer.ts';
import { EventReader } from './event-reader.ts';

/** All bytes of one answer; far above any output cap. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** How long a server may take to end its body after the end mark before its connection is given up. */
const DRAIN_MS = 5000;

const CANCELLED = new Error('call cancelled');

/**
 * One request and its answer as the connection's callbacks deliver it: no stream objects and no promise per chunk. `settle` is
 * called exactly once.
 */
export class ChatExchange implements ExchangeHandler {
  readonly #attempt: Attempt;
  readonly #clock: Clock;
  readonly #settle: (outcome: Outcome) => void;
  readonly #answer: ChatAnswer;
  readonly #reader: EventReader;
  #controller: ExchangeControl | undefined;
  #status = 0;
  #retryAfter: string | undefined;
  #isEvents = false;
  #body: Buffer[] = [];
  #bytes = 0;
  #isSettled = false;
  #isCancelled = false;
  #drainTimer: CancelTimer | undefined;
  #isFlushQueued = false;
  readonly #flush = (): void => {
    this.#isFlushQueued = false;
    this.#answer.flush();
  };

  constructor(attempt: Attempt, clock: Clock, settle: (outcome: Outcome) => void) {
    this.#attempt = attempt;
    this.#clock = clock;
    this.#settle = settle;
    const answer = new ChatAnswer(attempt);
    this.#answer = answer;
    this.#reader = new EventReader((data) => answer.read(data));
  }

  /** Frees the connection; a request still waiting for one is aborted as soon as it gets it. */
  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort(CANCELLED);
    this.#finish(failed(failureOf('provider_stream')));
  }

  /** The request could not be sent at all. */
  refuse(): void {
    this.#finish(failed(failureOf('provider_unavailable')));
  }

  onRequestStart(controller: ExchangeControl): void {
    this.#controller = controller;
    if (this.#isCancelled) controller.abort(CANCELLED);
    else this.#attempt.connected();
  }

  onResponseStart(_controller: ExchangeControl, status: number, headers: ResponseHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#retryAfter = headerText(headers['retry-after']);
    const type = headerText(headers['content-type']) ?? '';
    this.#isEvents = status < 300 && !type.includes('application/json');
    this.#attempt.received(false);
  }

  onResponseData(controller: ExchangeControl, chunk: Buffer): void {
    const isAnswer = this.#status < 300;
    this.#attempt.received(isAnswer);
    this.#bytes += chunk.length;
    if (this.#isEvents) this.#readEvents(controller, chunk);
    else if (this.#bytes <= (isAnswer ? MAX_ANSWER_BYTES : MAX_ERROR_BYTES)) this.#body.push(Buffer.from(chunk));
    else if (isAnswer) this.#breakOff(controller);
  }

  onResponseEnd(): void {
    this.#drainTimer?.();
    if (this.#isSettled) return;
    if (this.#status >= 300) {
      this.#finish(failed(this.#httpFailure()));
      return;
    }
    if (this.#isEvents) this.#reader.end();
    else this.#readWhole();
    this.#answer.end();
    this.#settleAnswer();
  }

  onResponseError(_controller: ExchangeControl, _error: Error): void {
    this.#drainTimer?.();
    if (this.#isSettled) return;
    if (this.#status >= 300) {
      this.#finish(failed(this.#httpFailure()));
      return;
    }
    if (this.#status === 0) {
      this.#finish(failed(failureOf('provider_unavailable')));
      return;
    }
    this.#answer.end();
    this.#settleAnswer();
  }

  #readEvents(controller: ExchangeControl, chunk: Buffer): void {
    if (this.#isSettled) return;
    if (this.#bytes > MAX_ANSWER_BYTES) {
      this.#breakOff(controller);
      return;
    }
    if (this.#reader.isBetween && this.#answer.readKnown(chunk)) {
      this.#queueFlush();
      return;
    }
    try {
      this.#reader.push(chunk);
    } catch {
      this.#breakOff(controller);
      return;
    }
    if (this.#answer.outcome === undefined) {
      this.#queueFlush();
      return;
    }
    if (this.#answer.outcome.kind === 'failure') controller.abort(CANCELLED);
    else this.#drainTimer = this.#clock.after(DRAIN_MS, () => controller.abort(CANCELLED));
    this.#settleAnswer();
  }

  /** Deltas that one read of the socket brought leave as one: the parser calls back for each, then microtasks run. */
  #queueFlush(): void {
    if (this.#isFlushQueued) return;
    this.#isFlushQueued = true;
    queueMicrotask(this.#flush);
  }

  /** A server that ignored `stream` answers with one JSON completion. */
  #readWhole(): void {
    const body = parseJsonBody(Buffer.concat(this.#body).toString('utf8'));
    if (typeof body === 'object' && body !== null) this.#answer.readEvent({ ...body });
  }

  #breakOff(controller: ExchangeControl): void {
    controller.abort(CANCELLED);
    this.#finish(failed(failureOf('provider_stream')));
  }

  #httpFailure() {
    const body = parseJsonBody(Buffer.concat(this.#body).toString('utf8'));
    return failureOfStatus({
      status: this.#status,
      retryAfter: this.#retryAfter,
      nowMs: this.#clock.nowMicros() / 1000,
      body,
    });
  }

  #settleAnswer(): void {
    this.#finish(this.#answer.outcome ?? failed(failureOf('provider_stream')));
  }

  #finish(outcome: Outcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#body = [];
    this.#settle(outcome);
  }
}
