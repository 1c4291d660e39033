import type { DescMessage, Message } from '@bufbuild/protobuf';
import { fromBinary } from '@bufbuild/protobuf';
import { Fault } from '../../base/index.ts';
import { BinaryEncoder } from './binary-encoder.ts';
import { JsonDecoder } from './json-decoder.ts';
import { JsonEncoder } from './json-encoder.ts';

/** Both encodings of messages, with the writers compiled and the texts of frozen messages kept. One per server. */
export class Codec {
  readonly json: JsonEncoder;
  readonly jsonDecoder: JsonDecoder;
  readonly binary: BinaryEncoder;

  constructor(jsonDepth: number) {
    this.json = new JsonEncoder();
    this.jsonDecoder = new JsonDecoder(jsonDepth);
    this.binary = new BinaryEncoder();
  }

  /** Bytes to a message; unknown fields are dropped, malformed bytes are INVALID_ARGUMENT. */
  fromBinary(desc: DescMessage, bytes: Uint8Array): Message {
    try {
      return fromBinary(desc, bytes, { readUnknownFields: false });
    } catch {
      throw new Fault('INVALID_ARGUMENT', 'FIELD_INVALID', `malformed ${desc.typeName}`, {
        violations: [{ field: '', description: 'malformed protobuf message', reason: 'FIELD_INVALID' }],
      });
    }
  }
}
