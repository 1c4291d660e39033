import type { DescMessage, Message } from '@bufbuild/protobuf';
import { TARGET_NAMES } from '../../auth/index.ts';
import { joining, type Steps } from '../../base/index.ts';
import { type Codec, type EncodeJson, type EncodeJsonInSteps, utf8Text } from '../codec/index.ts';
import type { MethodEntry } from '../dispatcher/index.ts';
import { HEAD_BYTES } from './envelope.ts';

export type FormatName = 'proto' | 'json';

/** Encoding of one operation's messages on the rpc protocols. */
export interface MessageFormat {
  readonly name: FormatName;
  decode(bytes: Buffer): Message;
  /** As decode, in steps; the names in the request are handed to `early` as soon as they are known. */
  decoding(bytes: Buffer, early: (names: object) => void): Steps<Message>;
  /** Bytes of an answer after `prefix` free bytes. */
  encode(message: object, prefix: number): Buffer;
  /** As encode, in steps: an answer may have megabytes. */
  encoding(message: object, prefix: number): Steps<Buffer>;
}

const namesInJson = (desc: DescMessage, json: Readonly<Record<string, unknown>>): object => {
  const named = desc.fields.filter(({ localName }) => TARGET_NAMES.has(localName));
  const texts = named.map(({ localName, jsonName, name }) => [localName, json[jsonName] ?? json[name]] as const);
  return Object.fromEntries(texts.filter(([, value]) => typeof value === 'string'));
};

export const messageFormat = (codec: Codec, method: MethodEntry, name: FormatName): MessageFormat => {
  const { input, output } = method;
  if (name === 'proto') {
    return {
      name,
      decode: (bytes) => codec.fromBinary(input, bytes),
      decoding: (bytes, early) =>
        codec.readingBinary(input, bytes, () => early(codec.namesInBinary(input, bytes, TARGET_NAMES))),
      encode: (message, prefix) => codec.binary.encode(output, message, prefix),
      encoding: (message, prefix) => codec.binary.encoding(output, message, prefix),
    };
  }
  const encodeJson: EncodeJson = codec.json.encoderOf(output);
  const encodingJson: EncodeJsonInSteps = codec.json.steppedEncoderOf(output);
  return {
    name,
    decode: (bytes) => codec.jsonDecoder.decodeBytes(input, bytes),
    *decoding(bytes, early) {
      const text = utf8Text(bytes);
      yield;
      const json = yield* codec.jsonDecoder.parsing(text);
      early(namesInJson(input, json));
      return yield* codec.jsonDecoder.decoding(input, json);
    },
    encode: (message, prefix) => bytesOf(encodeJson(message), prefix),
    *encoding(message, prefix) {
      const written = yield* encodingJson(message);
      if (typeof written === 'string') return bytesOf(written, prefix);
      return prefix === 0 ? written : yield* joining([Buffer.allocUnsafe(prefix), written]);
    },
  };
};

const bytesOf = (text: string, prefix: number): Buffer => {
  const bytes = Buffer.allocUnsafe(prefix + Buffer.byteLength(text));
  bytes.write(text, prefix, 'utf8');
  return bytes;
};

/** Frame of an answer with its head still to be sealed. */
export const openFrame = (format: MessageFormat, message: object): Buffer => format.encode(message, HEAD_BYTES);
