interface RunningCommand {
  /** Ends it. */
  readonly ends: AbortController;
  readonly isOver: Promise<void>;
}

/** The commands that this process runs, by their backend: they end before it is destroyed. */
export class RunningCommands {
  readonly #running = new Map<string, Set<RunningCommand>>();

  /** Notes a command: its signal ends with the backend, and its caller says when it is over. */
  begin(id: string): { readonly signal: AbortSignal; readonly end: () => void } {
    const ends = new AbortController();
    const { promise: isOver, resolve: finish } = Promise.withResolvers<void>();
    const own = { ends, isOver };
    const running = this.#running.get(id) ?? new Set();
    this.#running.set(id, running.add(own));
    const end = (): void => {
      running.delete(own);
      if (running.size === 0) this.#running.delete(id);
      finish();
    };
    return { signal: ends.signal, end };
  }

  /** Ends the commands of a backend and waits until they did. */
  async end(id: string): Promise<void> {
    const running = [...(this.#running.get(id) ?? [])];
    for (const { ends } of running) ends.abort();
    await Promise.all(running.map(({ isOver }) => isOver));
  }
}
