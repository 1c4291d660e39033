import { Fault } from '../../base/index.ts';
import type { ByteLimit } from '../../operations/index.ts';
import { messageTooLarge } from '../faults/index.ts';

/** Length of the head of one message on gRPC, gRPC-web and Connect streams: flags, then the length in four bytes. */
export const HEAD_BYTES = 5;
/** Flag of a compressed message. */
export const COMPRESSED = 0x01;

/** One message as it came, still compressed when its flag says so. */
export interface Envelope {
  readonly flags: number;
  readonly data: Buffer;
}

/** Fills in the head of a frame whose first five bytes were left free. */
export const sealFrame = (frame: Buffer, flags = 0): Buffer => {
  frame[0] = flags;
  frame.writeUInt32BE(frame.length - HEAD_BYTES, 1);
  return frame;
};

export const frameOf = (data: Uint8Array, flags = 0): Buffer => {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + data.length);
  frame.set(data, HEAD_BYTES);
  return sealFrame(frame, flags);
};

export const malformed = (description: string): Fault =>
  new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', description, {
    violations: [{ field: '', description, reason: 'FIELD_INVALID' }],
  });

/** The one message of a unary or server-streaming request; throws INVALID_ARGUMENT for none, several or a cut one. */
export const onlyEnvelope = (body: Buffer): Envelope => {
  if (body.length === 0) throw malformed('the request has no message');
  if (body.length < HEAD_BYTES) throw malformed('the message is cut short');
  const end = HEAD_BYTES + body.readUInt32BE(1);
  if (body.length < end) throw malformed('the message is cut short');
  if (body.length > end) throw malformed('the request has more than one message');
  return { flags: body[0] ?? 0, data: body.subarray(HEAD_BYTES) };
};

/** Cuts a byte stream into messages, whatever the pieces it comes in; refuses one longer than the limit. */
export class EnvelopeReader {
  readonly #limit: ByteLimit;
  #rest: Buffer = Buffer.alloc(0);

  constructor(limit: ByteLimit) {
    this.#limit = limit;
  }

  /** True between the first byte of a message and its last. */
  get isInMessage(): boolean {
    return this.#rest.length > 0;
  }

  /** Messages completed by this piece. Throws RESOURCE_EXHAUSTED TOO_LARGE. */
  push(piece: Buffer): Envelope[] {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const messages: Envelope[] = [];
    while (this.#rest.length >= HEAD_BYTES) {
      const length = this.#rest.readUInt32BE(1);
      if (length > this.#limit.bytes) throw messageTooLarge(this.#limit);
      const end = HEAD_BYTES + length;
      if (this.#rest.length < end) break;
      messages.push({ flags: this.#rest[0] ?? 0, data: this.#rest.subarray(HEAD_BYTES, end) });
      this.#rest = this.#rest.subarray(end);
    }
    return messages;
  }
}
