import { Fault } from '../../../../base/index.ts';
import type { FileAccess, SandboxCommand, SandboxPlan, SandboxProvider } from '../../../../sandbox/contract.ts';

/** A provider whose calls end with the server: `close` ends what runs, waits for it, and refuses what comes later. */
export class StoppableProvider implements SandboxProvider {
  readonly #provider: SandboxProvider;
  readonly #stop = new AbortController();
  readonly #open = new Set<Promise<unknown>>();

  constructor(provider: SandboxProvider) {
    this.#provider = provider;
  }

  get name(): string {
    return this.#provider.name;
  }

  probe() {
    return this.#run(() => this.#provider.probe());
  }

  create(plan: SandboxPlan) {
    return this.#run(() => this.#provider.create(plan));
  }

  exists(id: string) {
    return this.#run(() => this.#provider.exists(id));
  }

  exec(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal) {
    return this.#run(() => this.#provider.exec(plan, command, this.#ending(signal)));
  }

  start(plan: SandboxPlan, command: SandboxCommand, signal: AbortSignal) {
    return this.#run(async () => {
      const begun = await this.#provider.start(plan, command, this.#ending(signal));
      const { ended } = begun;
      this.#open.add(ended);
      // The caller learns how it ended.
      void ended.catch(() => undefined).then(() => this.#open.delete(ended));
      return begun;
    });
  }

  readFile(plan: SandboxPlan, path: string, access: FileAccess) {
    return this.#run(() => this.#provider.readFile(plan, path, this.#access(access)));
  }

  writeFile(plan: SandboxPlan, path: string, access: FileAccess & { readonly bytes: Uint8Array }) {
    return this.#run(() => this.#provider.writeFile(plan, path, { ...access, ...this.#access(access) }));
  }

  listFiles(plan: SandboxPlan, path: string, access: FileAccess) {
    return this.#run(() => this.#provider.listFiles(plan, path, this.#access(access)));
  }

  installCommands(packages: readonly string[]) {
    return this.#provider.installCommands(packages);
  }

  destroy(id: string) {
    return this.#run(() => this.#provider.destroy(id));
  }

  destroyVolume(volume: string) {
    return this.#run(() => this.#provider.destroyVolume(volume));
  }

  list() {
    return this.#run(() => this.#provider.list());
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the server stops'));
    // Again, because a command that was starting runs once its start is over.
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  #access(access: FileAccess): FileAccess {
    return { ...access, signal: this.#ending(access.signal) };
  }

  #ending(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#stop.signal]);
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#stop.signal.aborted) throw new Fault('UNAVAILABLE', 'SHUTTING_DOWN', 'the server is shutting down');
    const call = work();
    this.#open.add(call);
    try {
      return await call;
    } finally {
      this.#open.delete(call);
    }
  }
}
