import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Clock, Log } from '../../../base/index.ts';

/** How often an unreachable endpoint is reported. */
const TELL_MS = 60_000;

type Done = Parameters<SpanExporter['export']>[1];

/** Always reported to the library as a result: the SDK would throw asynchronously, with no caller to handle it. */
const DELIVERED = { code: 0 };

/** Logs when spans cannot be delivered; they are lost then. */
export class WatchedExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #log: Log;
  readonly #clock: Clock;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(inner: SpanExporter, deps: { readonly log: Log; readonly clock: Clock }) {
    this.#inner = inner;
    this.#log = deps.log;
    this.#clock = deps.clock;
  }

  export(spans: ReadableSpan[], done: Done): void {
    this.#inner.export(spans, (result) => {
      const nowMs = this.#clock.monotonicMs();
      if (result.code !== 0 && nowMs - this.#toldMs >= TELL_MS) {
        this.#toldMs = nowMs;
        this.#log.warn('spans could not be delivered to telemetry.otlpEndpoint', {
          spans: spans.length,
          reason: result.error?.message ?? 'unknown',
        });
      }
      done(DELIVERED);
    });
  }

  forceFlush(): Promise<void> {
    return this.#inner.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }
}
