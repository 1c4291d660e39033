import { Health, type HealthCheckResponse, HealthCheckResponse_ServingStatus as Status } from '@svc/api/health';
import { type CancelTimer, type Clock, Fault } from '../../base/index.ts';
import { type StreamSink, serverStream, unary } from '../../operations/index.ts';
import type { StandardOperation } from '../dispatcher/index.ts';
import type { Readiness } from './readiness.ts';

/** How often a watched readiness is checked; one check serves all watchers. */
const LOOK_MS = 5000;

interface Watcher {
  tell(status: Status): void;
}

type Answer = Omit<HealthCheckResponse, '$unknown'>;
const answerOf = (status: Status): Answer => ({ $typeName: 'grpc.health.v1.HealthCheckResponse', status });

/** One timer for all watchers; none while no one watches. */
class ReadinessWatch {
  readonly #watchers = new Set<Watcher>();
  readonly #status: () => Promise<Status>;
  readonly #clock: Clock;
  #stop: CancelTimer | undefined;

  constructor(status: () => Promise<Status>, clock: Clock) {
    this.#status = status;
    this.#clock = clock;
  }

  add(watcher: Watcher): void {
    this.#watchers.add(watcher);
    this.#stop ??= this.#clock.after(LOOK_MS, this.#look);
  }

  delete(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  readonly #look = async (): Promise<void> => {
    this.#stop = this.#clock.after(LOOK_MS, this.#look);
    const status = await this.#status();
    for (const watcher of this.#watchers) watcher.tell(status);
  };
}

/** grpc.health.v1: Check, List and Watch for `""` and every service, answering like /readyz; no credential needed. */
export const healthOperations = (
  readiness: Readiness,
  services: ReadonlySet<string>,
  clock: Clock,
): StandardOperation[] => {
  const status = async (): Promise<Status> =>
    (await readiness.failing()).length === 0 ? Status.SERVING : Status.NOT_SERVING;
  const watch = new ReadinessWatch(status, clock);
  const check = unary(Health.method.check, async ({ service }) => {
    if (service !== '' && !services.has(service)) {
      throw new Fault('NOT_FOUND', 'SERVICE_NOT_FOUND', 'service not known', {
        metadata: { service: service.slice(0, 200) },
      });
    }
    return answerOf(await status());
  });
  const watching = serverStream(Health.method.watch, async ({ service }, { signal }, sink) => {
    const known = service === '' || services.has(service);
    await follow({ known, signal, sink, watch, status });
  });
  const list = unary(Health.method.list, async () => {
    const answer = answerOf(await status());
    const statuses = Object.fromEntries(['', ...services].map((service) => [service, answer]));
    return { statuses };
  });
  return [check, list, watching].map((endpoint) => ({ endpoint, authenticated: false }));
};

interface Following {
  readonly known: boolean;
  readonly signal: AbortSignal;
  readonly sink: StreamSink<HealthCheckResponse>;
  readonly watch: ReadinessWatch;
  readonly status: () => Promise<Status>;
}

/** Sends the status now and at every change, until the watcher leaves. An unknown service stays SERVICE_UNKNOWN. */
const follow = async ({ known, signal, sink, watch, status }: Following): Promise<void> => {
  let last = known ? await status() : Status.SERVICE_UNKNOWN;
  const watcher: Watcher = {
    tell: (next) => {
      if (next === last || !known) return;
      last = next;
      sink.send(answerOf(next), '');
    },
  };
  sink.send(answerOf(last), '');
  if (signal.aborted) return;
  watch.add(watcher);
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  watch.delete(watcher);
};
