/** Where the events of a stream leave. Sends are synchronous, so that one event reaches thousands of readers without a promise each. */
export interface Sink<E> {
  /** The subscription is open; called once, before the first send. */
  open(): void;
  /** False: the reader lags, hold what follows until `onDrained` notifies. */
  send(event: E, cursor: string): boolean;
  /** Called every time a lagging reader has caught up. */
  onDrained(notify: () => void): void;
  /** Events sent by `work`, which waits for nothing, leave in one write where that is possible; none is held longer. */
  together?(work: () => void): void;
}

/** A sink for events that become messages as they leave: what waits for a slow reader is the event. */
export class FormingSink<E, M> implements Sink<E> {
  readonly #sink: Sink<M>;
  readonly #form: (event: E, cursor: string) => M;

  /** `form` should answer the same object for the same event and cursor, so that it is encoded once for all readers. */
  constructor(sink: Sink<M>, form: (event: E, cursor: string) => M) {
    this.#sink = sink;
    this.#form = form;
  }

  open(): void {
    this.#sink.open();
  }

  send(event: E, cursor: string): boolean {
    return this.#sink.send(this.#form(event, cursor), cursor);
  }

  onDrained(notify: () => void): void {
    this.#sink.onDrained(notify);
  }

  together(work: () => void): void {
    if (this.#sink.together === undefined) work();
    else this.#sink.together(work);
  }
}
