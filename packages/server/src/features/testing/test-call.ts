import type { CallContext, Caller } from '../../auth/contract.ts';
import type { StreamSink } from '../../operations/index.ts';

/** May do and see everything. */
export const ADMIN: Caller = {
  identity: 'anonymous',
  subject: 'anonymous',
  mode: 'none',
  grants: [{ role: 'admin', readSecrets: true }],
};

/** The context of one call. */
export const callContext = (operation: string, caller: Caller = ADMIN): CallContext => ({
  requestId: 'request-1',
  caller,
  operation,
  idempotencyKey: '',
  signal: new AbortController().signal,
  setHeader: () => undefined,
});

/** What a stream sent so far, and how it ended. */
export class TestStream<T> {
  readonly received: T[] = [];
  readonly ids: string[] = [];
  readonly ended: Promise<unknown>;
  isLagging = false;
  readonly #abort = new AbortController();
  #drained: (() => void)[] = [];

  constructor(run: (sink: StreamSink<T>, signal: AbortSignal) => Promise<void>) {
    const isWritable = (): boolean => !this.isLagging;
    const sink: StreamSink<T> = {
      open: () => undefined,
      send: (message, id) => {
        this.received.push(message);
        this.ids.push(id);
        return isWritable();
      },
      together: (work) => work(),
      onDrained: (notify) => void this.#drained.push(notify),
      get writable() {
        return isWritable();
      },
    };
    this.ended = run(sink, this.#abort.signal).then(
      () => 'ok',
      (error: unknown) => error,
    );
  }

  catchUp(): void {
    this.isLagging = false;
    for (const notify of this.#drained) notify();
  }

  stop(): Promise<unknown> {
    this.#abort.abort();
    return this.ended;
  }
}
