import type { Clock } from '../../../base/index.ts';
import { earlierNow, type Store } from '../../../store/contracts/index.ts';
import { STORE_SECONDS } from './buckets.ts';
import { Gauge, Histogram, type Registry } from './metric-classes.ts';

/** The same store, its transactions timed until they are durable. */
export const timedStore = (registry: Registry, store: Store, clock: Clock): Store => {
  const latency = new Histogram({
    name: 'svc_store_duration_seconds',
    help: 'Duration of store transactions, waiting and disk included.',
    labelNames: ['kind'],
    buckets: STORE_SECONDS,
    registers: [registry],
  });
  const writes = latency.labels('write');
  const reads = latency.labels('read');
  const timed = <T>(timer: typeof writes, work: Promise<T>): Promise<T> => {
    const startedMs = clock.monotonicMs();
    const note = (): void => timer.observe((clock.monotonicMs() - startedMs) / 1000);
    work.then(note, note);
    return work;
  };
  return {
    write: (work, options) => timed(writes, store.write(work, options)),
    read: (work) => timed(reads, store.read(work)),
    direct: store.direct,
    announce: (worker, onReturn) => store.announce(worker, onReturn),
    epoch: store.epoch,
    now: () => store.now(),
    steadyNow: () => store.steadyNow(),
    ping: () => store.ping(),
    close: () => store.close(),
  };
};

/** Whether backups fail; read at the time of a scrape. */
export const backupFigure = (registry: Registry, failures: () => Promise<number>): void => {
  new Gauge({
    name: 'svc_backup_failures',
    help: 'Failed tries of the pending scheduled backup; 0 when none is pending.',
    registers: [registry],
    async collect(): Promise<void> {
      this.set(await failures());
    },
  });
};

/** Due work in the durable queue; read at the time of a scrape. */
export const queueFigures = (
  registry: Registry,
  { store, kinds }: { readonly store: Pick<Store, 'write'>; readonly kinds: () => readonly string[] },
): void => {
  const registers = [registry];
  const look = () =>
    store.write(async (tx) => {
      // Some kinds become due by one clock, some by the other: work that is due by both is counted.
      const now = earlierNow(tx);
      const { count, oldestDueAt } = await tx.queue.backlog(kinds(), now);
      return { count, ageMicros: count === 0 ? 0 : now - oldestDueAt };
    });
  let looking: ReturnType<typeof look> | undefined;
  /** One query serves both metrics of a scrape. */
  const backlog = (): ReturnType<typeof look> => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  new Gauge({
    name: 'svc_outbox_depth',
    help: 'Due items that wait in the queue.',
    registers,
    async collect(): Promise<void> {
      this.set((await backlog()).count);
    },
  });
  new Gauge({
    name: 'svc_outbox_age_seconds',
    help: 'How long the oldest due item of the queue has waited.',
    registers,
    async collect(): Promise<void> {
      this.set((await backlog()).ageMicros / 1_000_000);
    },
  });
};
