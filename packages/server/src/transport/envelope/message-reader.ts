import type { Message } from '@bufbuild/protobuf';
import { Fault } from '../../base/index.ts';
import type { ByteLimit } from '../../operations/index.ts';
import { type Call, DECODED_AT_ONCE_BYTES } from '../dispatcher/index.ts';
import { messageTooLarge } from '../faults/index.ts';
import { decompress } from '../http/index.ts';
import { COMPRESSED, type Envelope, malformed } from './envelope.ts';
import type { MessageFormat } from './message-format.ts';

interface ReadParts {
  readonly format: MessageFormat;
  readonly limit: ByteLimit;
  /** Name of the message compression that the request declares, '' for none. */
  readonly encoding: string;
}

/**
 * Decodes a request and hands it to its call. A large one is authorised by its names first, and decoded in steps; what is wrong
 * with it fails the call.
 */
export const decodeInto = (call: Call, format: MessageFormat, bytes: Buffer): void => {
  let request: Message;
  try {
    if (bytes.length > DECODED_AT_ONCE_BYTES) {
      call.authorizeEarly({ names: {}, isComplete: false });
      return call.executeSteps(format.decoding(bytes, (names) => call.authorizeEarly({ names, isComplete: true })));
    }
    request = format.decode(bytes);
  } catch (error) {
    return call.fail(error);
  }
  call.execute(request);
};

/** UNIMPLEMENTED for a compression no one offered. */
export const unknownCompression = (name: string): Fault =>
  new Fault('UNIMPLEMENTED', 'COMPRESSION_UNKNOWN', `compression ${name} is not supported; gzip and identity are`);

/** For a message that says it is compressed in a request that says it is not. */
export const notPacked = (): Fault => malformed('compressed without an encoding');

/** Unpacks and decodes one message and hands it to the call; what is wrong with it fails the call. */
export const executeEnvelope = (call: Call, envelope: Envelope, parts: ReadParts): void => {
  const { format, limit, encoding } = parts;
  if ((envelope.flags & ~COMPRESSED) !== 0) return call.fail(malformed('unknown message flags'));
  if ((envelope.flags & COMPRESSED) === 0) return decodeInto(call, format, envelope.data);
  if (encoding !== 'gzip') return call.fail(notPacked());
  decompress('gzip', { bytes: envelope.data, limit: limit.bytes }, (result) => {
    if (result === undefined) call.fail(messageTooLarge(limit));
    else if (result instanceof Error) call.fail(malformed('message is not valid gzip'));
    else decodeInto(call, format, result);
  });
};
