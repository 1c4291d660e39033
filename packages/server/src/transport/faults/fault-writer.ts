import type { DescMessage } from '@bufbuild/protobuf';
import type { Fault } from '../../base/index.ts';
import type { Codec } from '../codec/index.ts';
import { connectError, faultBody } from './fault-body.ts';
import { type FaultDetail, faultDetails, faultStatusBinary } from './fault-details.ts';

/** Most bytes of a status with a message of the contract attached: HTTP/2 of Node sends no more than 64 KiB of headers. */
const ATTACHED_BYTES = 24 * 1024;
/** Most bytes of a status in a header: 8 KiB in base64, beyond which many gRPC clients give up the call. */
const STATUS_BYTES = 6 * 1024;

/**
 * Writes faults for all protocols. A Fault whose `cause` is a message of the API carries it as a further detail
 * (what was refused, document by document).
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

  /**
   * google.rpc.Status for `grpc-status-details-bin`, which is a header: what does not fit is left out, an attached message
   * first, then the last field faults.
   */
  status(fault: Fault): Uint8Array {
    const details = this.#details(fault);
    let count = fault.violations.length;
    let bytes = faultStatusBinary(fault, details);
    const isAttached = details.length > faultDetails(fault, 1).length;
    if (bytes.length <= (isAttached ? ATTACHED_BYTES : STATUS_BYTES)) return bytes;
    bytes = faultStatusBinary(fault, faultDetails(fault));
    while (bytes.length > STATUS_BYTES && count > 1) {
      count = Math.floor(count / 2);
      bytes = faultStatusBinary(fault, faultDetails(fault, count));
    }
    return bytes;
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
