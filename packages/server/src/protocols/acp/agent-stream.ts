import type { AnyMessage, Stream } from '@agentclientprotocol/sdk/unstable';
import { AgentFailure, type AgentPipe } from './contract.ts';

/** Longest line of an agent; files and outputs of tools are in them. */
const LINE_BYTES = 4 * 1024 * 1024;
/** Requests of an agent that wait for their answers. */
const OPEN_REQUESTS = 64;
/** What an agent may say in one connection. */
const MESSAGES_MAX = 200_000;
const TOTAL_BYTES = 256 * 1024 * 1024;

const NEWLINE = 0x0a;

type JsonMessage = Readonly<Record<string, unknown>>;

const isMessage = (value: unknown): value is JsonMessage =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The messages of an agent as the library takes them, one line at a time and not before there is room for what it says, so that a fast
 * agent waits for a slow reader. The library answers a line that is not a message. Exceeding a limit ends the stream with an error.
 */
export class AgentStream {
  readonly stream: Stream;
  readonly #pipe: AgentPipe;
  readonly #room: () => Promise<void>;
  /** Ids of requests that wait for an answer: those of the agent, and our own. */
  readonly #theirs = new Set<unknown>();
  readonly #ours = new Set<unknown>();
  #messages = 0;

  /** `room` resolves once one more message may be taken. */
  constructor(pipe: AgentPipe, room: () => Promise<void>) {
    this.#pipe = pipe;
    this.#room = room;
    const messages = this.#read();
    this.stream = {
      readable: new ReadableStream<AnyMessage>(
        {
          pull: async (controller) => {
            const { value, done } = await messages.next();
            if (done === true) controller.close();
            else controller.enqueue(value as unknown as AnyMessage);
          },
          cancel: async () => void (await messages.return(undefined)),
        },
        { highWaterMark: 0 },
      ),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#write(message) }),
    };
  }

  async #write(message: AnyMessage): Promise<void> {
    if ('method' in message) {
      if ('id' in message) this.#ours.add(message.id);
    } else this.#theirs.delete(message.id);
    await this.#pipe.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }

  async *#read(): AsyncGenerator<JsonMessage> {
    for await (const line of lines(this.#pipe.output)) {
      const message = parsed(line);
      if (message === undefined || !this.#isWanted(message)) continue;
      await this.#room();
      yield message;
    }
  }

  /** Counts the message; an answer to nothing that was asked is dropped. */
  #isWanted(message: JsonMessage): boolean {
    this.#messages += 1;
    if (this.#messages > MESSAGES_MAX)
      throw new AgentFailure('protocol', `the agent sent more than ${MESSAGES_MAX} messages`);
    const id = message['id'];
    if (typeof message['method'] !== 'string') return this.#ours.delete(id);
    if (id === undefined) return true;
    this.#theirs.add(id);
    if (this.#theirs.size > OPEN_REQUESTS)
      throw new AgentFailure('protocol', `the agent has more than ${OPEN_REQUESTS} open requests`);
    return true;
  }
}

/** What an agent prints that is not a message is skipped: several print notices before they speak the protocol. */
const parsed = (line: Uint8Array): JsonMessage | undefined => {
  const text = new TextDecoder().decode(line).trim();
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isMessage(value) ? value : undefined;
  } catch {
    throw new AgentFailure('protocol', 'the agent sent a line that is not JSON');
  }
};

async function* lines(output: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let totalBytes = 0;
  for await (const chunk of output) {
    totalBytes += chunk.length;
    if (totalBytes > TOTAL_BYTES) throw new AgentFailure('protocol', `the agent sent more than ${TOTAL_BYTES} bytes`);
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...pending, chunk.subarray(from, end)]);
      if (line.length > LINE_BYTES) throw tooLong();
      pending = [];
      pendingBytes = 0;
      from = end + 1;
      yield line;
    }
    pending.push(chunk.subarray(from));
    pendingBytes += chunk.length - from;
    if (pendingBytes > LINE_BYTES) throw tooLong();
  }
  if (pendingBytes > 0) yield Buffer.concat(pending);
}

const tooLong = (): AgentFailure =>
  new AgentFailure('protocol', `the agent sent a line of more than ${LINE_BYTES} bytes`);
