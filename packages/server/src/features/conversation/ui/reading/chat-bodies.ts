import {
  type Clock,
  Fault,
  type FaultCode,
  type FieldViolation,
  inTurns,
  invalidFields,
  oversize,
  WorkThread,
} from '../../../../base/index.ts';
import { type ChatRequest, readingChatRequest } from './chat-request.ts';

/** Bodies up to this size are read where they are: about two milliseconds. */
const LARGE_BODY_BYTES = 64 * 1024;
/** A body that takes longer is refused. */
const LIMIT_MS = 20_000;
/** Memory of the thread, in MiB. */
const MEMORY_MIB = 512;
const WORDS = { subject: 'body', advice: 'send less at once' };
/** What a request may hold in addition to the text of its message and the bytes of its files: names, labels, urls. */
const OTHER_CHARACTERS_MAX = 256 * 1024;
/** Each value counts as so many characters, and a text as its own length as well. */
const VALUE_CHARACTERS = 16;

/** What the thread is asked. */
export interface BodyTask {
  readonly bytes: Uint8Array;
  /** `limits.messageBytes`. */
  readonly messageBytes: number;
}

/** What it answers: the request, or the parts of the Fault that refuses it, which threads cannot hand over whole. */
export type BodyAnswer =
  | { readonly request: ChatRequest }
  | {
      readonly refusal: {
        readonly code: FaultCode;
        readonly reason: string;
        readonly message: string;
        readonly violations: readonly FieldViolation[];
      };
    };

/** Reads bodies of the browser chat; large ones in a thread, one at a time. */
export class ChatBodies {
  readonly #thread: WorkThread<BodyTask, BodyAnswer>;
  readonly #messageBytes: number;

  constructor({ clock, messageBytes }: { readonly clock: Clock; readonly messageBytes: number }) {
    const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
    const module = new URL(`./chat-body-worker${extension}`, import.meta.url);
    this.#thread = new WorkThread({ module, clock, limitMs: LIMIT_MS, memoryMib: MEMORY_MIB });
    this.#messageBytes = messageBytes;
  }

  /**
   * What the body asks for. Its bytes are used up. INVALID_ARGUMENT for what is not a request of a chat, RESOURCE_EXHAUSTED TOO_LARGE
   * for one that holds too much apart from its files, or cannot be read within 20 s or 512 MiB.
   */
  async read(bytes: Uint8Array): Promise<ChatRequest> {
    if (bytes.byteLength <= LARGE_BODY_BYTES) return inTurns(readingChatRequest(bytes), 1);
    const handed = bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
    const answer = await this.#thread.run({ bytes, messageBytes: this.#messageBytes }, WORDS, handed);
    if ('request' in answer) return answer.request;
    const { code, reason, message, violations } = answer.refusal;
    throw new Fault(code, reason, message, { violations });
  }
}

/** The bytes of a request's files. */
export const contentsOf = (request: ChatRequest): readonly Uint8Array<ArrayBuffer>[] =>
  request.kind === 'send'
    ? request.message.files.flatMap(({ source }) => ('bytes' in source ? [source.bytes] : []))
    : [];

/** The request, unless it would take the thread that asked long to take over: what is not bytes is copied. */
export const judgedSize = (request: ChatRequest, messageBytes: number): ChatRequest => {
  if (charactersOf(request) <= messageBytes + OTHER_CHARACTERS_MAX) return request;
  throw invalidFields([oversize('messages', messageBytes, 'limits.messageBytes')]);
};

const charactersOf = (value: unknown): number => {
  if (typeof value === 'string') return VALUE_CHARACTERS + value.length;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return VALUE_CHARACTERS;
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + name.length + charactersOf(inner),
    VALUE_CHARACTERS,
  );
};
