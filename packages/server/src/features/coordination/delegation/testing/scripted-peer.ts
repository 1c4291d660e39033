import {
  type PeerClient,
  PeerFailure,
  type PeerTarget,
  type RemoteMessage,
  type RemoteTask,
} from '../../../../protocols/a2a/client-contract.ts';

/** An agent elsewhere that works on each message once, as long as the test lets it, and notes what it is asked. */
export class ScriptedPeer implements PeerClient {
  /** Every message that arrived, also twice. */
  readonly received: (RemoteMessage & { readonly bearer: string })[] = [];
  readonly cancelled: string[] = [];
  /** Tasks by the id of their message. */
  readonly tasks = new Map<string, RemoteTask>();
  /** Contexts that it remembers. */
  readonly contexts = new Set<string>();
  inputModes: readonly string[] = [];
  /** What a task shows as long as the test does not say otherwise. */
  shows: Partial<RemoteTask> = {};
  /** Thrown by the next calls. */
  fails: PeerFailure | undefined;

  async card() {
    this.#check();
    return { inputModes: this.inputModes };
  }

  async send(target: PeerTarget, message: RemoteMessage, { begun }: Parameters<PeerClient['send']>[2]) {
    this.#check();
    if (message.contextId !== '' && !this.contexts.has(message.contextId))
      throw new PeerFailure('gone', 'it knows no such task');
    this.received.push({ ...message, bearer: target.bearer });
    const known = this.tasks.get(message.id)?.id ?? message.taskId;
    const id = known === '' ? `task-${this.tasks.size + 1}` : known;
    const contextId = message.contextId === '' ? `context-${this.contexts.size + 1}` : message.contextId;
    this.contexts.add(contextId);
    this.tasks.set(message.id, { id, contextId, state: 'working', statusParts: [], parts: [] });
    const task = this.#shown(id);
    await begun(task);
    return task;
  }

  async task(_target: PeerTarget, taskId: string) {
    this.#check();
    return this.#shown(taskId);
  }

  async cancel(_target: PeerTarget, taskId: string) {
    this.#check();
    this.cancelled.push(taskId);
  }

  #shown(id: string): RemoteTask {
    const task = [...this.tasks.values()].find((each) => each.id === id);
    if (task === undefined) throw new PeerFailure('gone', 'it knows no such task');
    return { ...task, ...this.shows };
  }

  #check(): void {
    if (this.fails !== undefined) throw this.fails;
  }
}
