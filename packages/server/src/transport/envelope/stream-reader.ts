import { type Call, RequestMessages } from '../dispatcher/index.ts';
import { messageTooLarge } from '../faults/index.ts';
import { decompressSync } from '../http/index.ts';
import { COMPRESSED, type Envelope, EnvelopeReader, malformed } from './envelope.ts';
import type { MessageFormat } from './message-format.ts';
import { notPacked } from './message-reader.ts';

/** One message of a client stream, unpacked: these are questions about names, never documents. No setting raises it. */
const MESSAGE_LIMIT = { bytes: 64 * 1024 };

interface StreamReadParts {
  readonly format: MessageFormat;
  /** Name of the message compression that the request declares, '' for none. */
  readonly encoding: string;
  /** Turns a piece of the body into bytes of messages; `isLast` with an empty piece at the end. */
  readonly unwrap?: (piece: Buffer, isLast: boolean) => Buffer;
}

/** Hands a client stream to its call: the call starts at once, the messages follow as they come. */
export const executeStream = (call: Call, { format, encoding, unwrap }: StreamReadParts): void => {
  const messages = new RequestMessages();
  const reader = new EnvelopeReader(MESSAGE_LIMIT);
  const take = (piece: Buffer, isLast: boolean): void => {
    try {
      const bytes = unwrap === undefined ? piece : unwrap(piece, isLast);
      for (const envelope of reader.push(bytes)) messages.push(format.decode(unpack(envelope, encoding)));
      if (!isLast) return;
      if (reader.isInMessage) throw malformed('the message is cut short');
      messages.end();
    } catch (error) {
      messages.fail(error);
    }
  };
  call.execute(messages);
  call.exchange.readPieces(
    (piece) => take(piece, false),
    () => take(NOTHING, true),
  );
};

const NOTHING = Buffer.alloc(0);

const unpack = ({ flags, data }: Envelope, encoding: string): Buffer => {
  if ((flags & ~COMPRESSED) !== 0) throw malformed('unknown message flags');
  if ((flags & COMPRESSED) === 0) return data;
  if (encoding !== 'gzip') throw notPacked();
  const unpacked = decompressSync(data, MESSAGE_LIMIT.bytes);
  if (unpacked === undefined) throw messageTooLarge(MESSAGE_LIMIT);
  if (unpacked instanceof Error) throw malformed('message is not valid gzip');
  return unpacked;
};
