import type { DescMessage } from '@bufbuild/protobuf';
import type { Fault } from '../../base/index.ts';
import type { Codec } from '../codec/index.ts';
import { connectError, faultBody } from './fault-body.ts';
import { type FaultDetail, faultDetails, faultStatusBinary } from './fault-details.ts';

/**
 * Writes faults for all protocols. A Fault whose `cause` is a message of the contract carries it as a further detail
 * (ApplyManifests refusals, API-9.1).
 */
export class FaultWriter {
  readonly #codec: Codec;
  readonly #messages: ReadonlyMap<string, DescMessage>;

  /** `outputs` are the message types that may be attached. */
  constructor(codec: Codec, outputs: Iterable<DescMessage>) {
    this.#codec = codec;
    this.#messages = new Map([...outputs].map((desc) => [desc.typeName, desc]));
  }

  /** Error body of REST and of a stream's error line. */
  body(fault: Fault): string {
    return faultBody(fault, this.#details(fault));
  }

  connect(fault: Fault): Record<string, unknown> {
    return connectError(fault, this.#details(fault));
  }

  /** google.rpc.Status for `grpc-status-details-bin`. */
  status(fault: Fault): Uint8Array {
    return faultStatusBinary(fault, this.#details(fault));
  }

  #details(fault: Fault): FaultDetail[] {
    const details = faultDetails(fault);
    const { cause } = fault;
    const typeName = typeof cause === 'object' && cause !== null && '$typeName' in cause ? String(cause.$typeName) : '';
    const desc = this.#messages.get(typeName);
    if (desc === undefined || typeof cause !== 'object' || cause === null) return details;
    const json = JSON.parse(this.#codec.json.encoderOf(desc)(cause)) as Record<string, unknown>;
    details.push({ typeName, value: this.#codec.binary.encode(desc, cause), json });
    return details;
  }
}
