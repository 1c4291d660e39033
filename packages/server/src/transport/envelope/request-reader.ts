import { inTurns, type Steps } from '../../base/index.ts';
import type { ByteLimit } from '../../operations/index.ts';
import { type Call, DECODED_AT_ONCE_BYTES } from '../dispatcher/index.ts';
import { messageTooLarge } from '../faults/index.ts';
import { HEAD_BYTES, onlyEnvelope } from './envelope.ts';
import type { MessageFormat } from './message-format.ts';
import { executeEnvelope, unknownCompression } from './message-reader.ts';
import { executeStream } from './stream-reader.ts';

/** How a protocol writes the bytes of messages into a body, where it is not as they are. */
export interface BodyText {
  /** Longest body that holds so many bytes. */
  readonly most: (bytes: number) => number;
  /** The bytes in a whole body. */
  readonly decoding: (body: Buffer) => Steps<Buffer>;
  /** A decoder of a body that comes in pieces; `isLast` with an empty piece at the end. */
  readonly pieces: () => (piece: Buffer, isLast: boolean) => Buffer;
}

interface RequestParts {
  readonly format: MessageFormat;
  /** `limits.requestBytes`. */
  readonly limit: ByteLimit;
  /** Name of the message compression that the request declares; absent for none. */
  readonly encoding: string | undefined;
  readonly isClientStreaming: boolean;
  readonly text?: BodyText;
}

/**
 * Reads what a call asks: its one message, or the messages of a client stream as they come. Throws UNIMPLEMENTED for an
 * unknown compression; what is wrong with the body fails the call.
 */
export const readRequest = (call: Call, parts: RequestParts): void => {
  const { format, limit, encoding = '', text } = parts;
  if (encoding !== '' && encoding !== 'identity' && encoding !== 'gzip') throw unknownCompression(encoding);
  if (parts.isClientStreaming)
    return executeStream(call, { format, encoding, ...(text === undefined ? {} : { unwrap: text.pieces() }) });
  const most = limit.bytes + HEAD_BYTES;
  const take = (bytes: Buffer): void => {
    try {
      executeEnvelope(call, onlyEnvelope(bytes), { format, limit, encoding });
    } catch (error) {
      call.fail(error);
    }
  };
  call.exchange.readBody(text?.most(most) ?? most, (body) => {
    if (body === undefined) call.fail(messageTooLarge(limit));
    else if (text === undefined) take(body);
    else unwrap(call, text, body).then(take, (error: unknown) => call.fail(error));
  });
};

/** The bytes in a body of text; a large one is decoded only for a caller to whom something of it could be allowed. */
const unwrap = async (call: Call, text: BodyText, body: Buffer): Promise<Buffer> => {
  if (body.length > DECODED_AT_ONCE_BYTES) call.authorizeEarly({ names: {}, isComplete: false });
  return inTurns(text.decoding(body), 1);
};
