import { AgentFailure, type AgentPipe } from '../../../protocols/acp/contract.ts';
import type { SandboxProcess } from '../../../sandbox/contract.ts';

const HEAD_BYTES = 6;
/** The relay reads pieces of at most 64 KiB. */
const FRAME_BYTES = 1_048_576;
const CONNECTIONS_MAX = 16;

/** Chunks from one who brings them to one who takes them, one at a time. */
class Chunks {
  readonly #waiting: { readonly chunk: Uint8Array; readonly taken: () => void }[] = [];
  #wanted: (() => void) | undefined;
  #isOver = false;
  #failure: unknown;

  /** Resolves when the chunk is taken, or no one takes any more. */
  put(chunk: Uint8Array): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ chunk, taken: resolve });
    this.#wanted?.();
    return promise;
  }

  end(failure?: unknown): void {
    this.#isOver = true;
    this.#failure ??= failure;
    this.#wanted?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next !== undefined) {
          next.taken();
          yield next.chunk;
        } else if (this.#failure !== undefined) throw this.#failure;
        else if (this.#isOver) return;
        else {
          const { promise, resolve } = Promise.withResolvers<void>();
          this.#wanted = resolve;
          await promise;
        }
      }
    } finally {
      this.#isOver = true;
      for (const { taken } of this.#waiting.splice(0)) taken();
    }
  }
}

/** The channels of a relay: the harness, and the connections of its bridges, each handed to `connected`. */
export class RelayChannels {
  readonly harness: AgentPipe;
  readonly #process: Pick<SandboxProcess, 'stdout' | 'write'>;
  readonly #connected: (pipe: AgentPipe) => void;
  readonly #open = new Map<number, Chunks>();

  constructor(process: Pick<SandboxProcess, 'stdout' | 'write'>, connected: (pipe: AgentPipe) => void) {
    this.#process = process;
    this.#connected = connected;
    this.harness = this.#channel(0);
    void this.#pump();
  }

  #channel(id: number): AgentPipe {
    const output = new Chunks();
    this.#open.set(id, output);
    return { output, write: (bytes) => this.#process.write(frame(id, bytes)) };
  }

  /** Reads to the end of the process; the reader of the harness learns what is wrong with it. */
  async #pump(): Promise<void> {
    let failure: unknown;
    try {
      for await (const { id, bytes } of frames(this.#process.stdout)) await this.#take(id, bytes);
    } catch (error) {
      failure = error;
    }
    for (const output of this.#open.values()) output.end(failure);
  }

  async #take(id: number, bytes: Uint8Array): Promise<void> {
    const known = this.#open.get(id);
    if (bytes.length === 0) {
      known?.end();
      if (id !== 0) this.#open.delete(id);
      return;
    }
    if (known !== undefined) return known.put(bytes);
    if (this.#open.size > CONNECTIONS_MAX) throw new AgentFailure('protocol', 'the agent opened too many connections');
    this.#connected(this.#channel(id));
    await this.#open.get(id)?.put(bytes);
  }
}

const frame = (id: number, bytes: Uint8Array): Uint8Array => {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(id, 0);
  head.writeUInt32BE(bytes.length, 2);
  return Buffer.concat([head, bytes]);
};

async function* frames(
  stdout: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly id: number; readonly bytes: Uint8Array }> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of stdout) {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= HEAD_BYTES) {
      const length = pending.readUInt32BE(2);
      if (length > FRAME_BYTES) throw new AgentFailure('protocol', 'the agent printed to the streams of its relay');
      if (pending.length < HEAD_BYTES + length) break;
      yield { id: pending.readUInt16BE(0), bytes: pending.subarray(HEAD_BYTES, HEAD_BYTES + length) };
      pending = pending.subarray(HEAD_BYTES + length);
    }
  }
}
