import type { Message } from '@bufbuild/protobuf';
import type { Codec, EncodeJson } from '../codec/index.ts';
import type { MethodEntry } from '../dispatcher/index.ts';
import { HEAD_BYTES } from './envelope.ts';

export type FormatName = 'proto' | 'json';

/** Encoding of one operation's messages on the rpc protocols. */
export interface MessageFormat {
  readonly name: FormatName;
  decode(bytes: Buffer): Message;
  /** Bytes of an answer after `prefix` free bytes. */
  encode(message: object, prefix: number): Buffer;
}

export const messageFormat = (codec: Codec, method: MethodEntry, name: FormatName): MessageFormat => {
  const { input, output } = method;
  if (name === 'proto') {
    return {
      name,
      decode: (bytes) => codec.fromBinary(input, bytes),
      encode: (message, prefix) => codec.binary.encode(output, message, prefix),
    };
  }
  const encodeJson: EncodeJson = codec.json.encoderOf(output);
  return {
    name,
    decode: (bytes) => codec.jsonDecoder.decodeBytes(input, bytes),
    encode: (message, prefix) => {
      const text = encodeJson(message);
      const bytes = Buffer.allocUnsafe(prefix + Buffer.byteLength(text));
      bytes.write(text, prefix, 'utf8');
      return bytes;
    },
  };
};

/** Frame of an answer with its head still to be sealed. */
export const openFrame = (format: MessageFormat, message: object): Buffer => format.encode(message, HEAD_BYTES);
