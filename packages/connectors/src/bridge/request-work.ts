import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The work that one webhook has started. Adapters start it without waiting and swallow its failures; the platform may get its answer
 * only when all of it has ended well.
 */
export class RequestWork {
  readonly #tasks = new Set<Promise<unknown>>();
  readonly #events: Promise<boolean>[] = [];
  #failure: { readonly error: unknown } | undefined;
  #isSettled = false;

  /** True once the request has its answer; work that an adapter starts later cannot change it. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Notes work; its failure is the failure of the request. */
  add(task: Promise<unknown>): void {
    const noted = task
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#tasks.delete(noted));
    this.#tasks.add(noted);
  }

  /** Notes work that hands an event to svc, and says whether svc has accepted it. */
  addEvent(task: Promise<boolean>): void {
    this.#events.push(task);
    this.add(task);
  }

  /** Waits until svc has taken the events that were found so far: true where it has accepted one. Throws the first failure. */
  async eventsTaken(): Promise<boolean> {
    return (await Promise.all(this.#events)).includes(true);
  }

  /** Waits for all work, and for what that starts; throws the first failure. */
  async settle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    this.#isSettled = true;
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Knows the request to which code belongs that adapters call without saying so. */
export const currentRequest = new AsyncLocalStorage<RequestWork>();

/** Waits until svc has taken what the current request has brought so far: true where it has accepted some of it. Throws what kept it. */
export const eventsTaken = async (): Promise<boolean> => (await currentRequest.getStore()?.eventsTaken()) ?? false;

/** Lets `begin` hand events to svc as those of one request, and waits until svc has taken them; throws what kept it. */
export async function handOver(begin: () => void): Promise<void> {
  const work = new RequestWork();
  currentRequest.run(work, begin);
  await work.settle();
}
