import { type DescMessage, fromBinary, type Message, ScalarType } from '@bufbuild/protobuf';
import { Fault, type Steps } from '../../base/index.ts';
import { BinaryEncoder } from './binary-encoder.ts';
import { JsonDecoder } from './json-decoder.ts';
import { JsonDepthGuard } from './json-depth-guard.ts';
import { JsonEncoder } from './json-encoder.ts';
import { type JsonBounds, tooManyElements } from './json-size.ts';
import { readingBinary } from './sliced-binary.ts';
import { countElements, wireFields } from './wire-scan.ts';

/** Both encodings of messages, with the writers compiled and the texts of frozen messages kept. One per server. */
export class Codec {
  readonly json: JsonEncoder;
  readonly jsonDecoder: JsonDecoder;
  readonly binary: BinaryEncoder;
  readonly #depthGuard: JsonDepthGuard;
  readonly #elements: number;

  constructor(bounds: JsonBounds) {
    this.json = new JsonEncoder();
    this.jsonDecoder = new JsonDecoder(bounds);
    this.binary = new BinaryEncoder();
    this.#depthGuard = new JsonDepthGuard(bounds.depth);
    this.#elements = bounds.elements;
  }

  /** Bytes to a message; unknown fields are dropped, malformed bytes and JSON texts nested too deep are INVALID_ARGUMENT. */
  fromBinary(desc: DescMessage, bytes: Uint8Array): Message {
    const message = this.#parse(desc, bytes);
    this.#depthGuard.check(desc, message);
    return message;
  }

  /** As fromBinary, in steps of a few milliseconds; more than `limits.messageElements` values are RESOURCE_EXHAUSTED. */
  *readingBinary(desc: DescMessage, bytes: Uint8Array, beforeDecoding?: () => void): Steps<Message> {
    if (countElements(desc, bytes, this.#elements) > this.#elements) throw tooManyElements(this.#elements);
    yield;
    beforeDecoding?.();
    yield;
    let message: Message;
    try {
      message = yield* readingBinary(desc, bytes);
    } catch (error) {
      throw error instanceof Fault ? error : malformedMessage(desc);
    }
    yield;
    this.#depthGuard.check(desc, message);
    return message;
  }

  /** The texts directly in a binary message that `names` lists, by the names of the decoded message. Never throws. */
  namesInBinary(desc: DescMessage, bytes: Uint8Array, names: ReadonlySet<string>): Record<string, string> {
    const found: Record<string, string> = {};
    let count = 0;
    for (const { field, valueStart, end } of wireFields(desc, bytes)) {
      count += 1;
      if (count > this.#elements) break;
      if (field?.fieldKind === 'scalar' && field.scalar === ScalarType.STRING && names.has(field.localName))
        found[field.localName] = Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, end - valueStart).toString();
    }
    return found;
  }

  #parse(desc: DescMessage, bytes: Uint8Array): Message {
    try {
      return fromBinary(desc, bytes, { readUnknownFields: false });
    } catch {
      throw malformedMessage(desc);
    }
  }
}

const malformedMessage = (desc: DescMessage): Fault =>
  new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', `malformed ${desc.typeName}`, {
    violations: [{ field: '', description: 'malformed protobuf message', reason: 'FIELD_INVALID' }],
  });
