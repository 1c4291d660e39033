import { v1, v1alpha } from '@svc/api/reflection';
import type { Fault } from '../../base/index.ts';
import type { Codec } from '../codec/index.ts';
import {
  type Call,
  type Dispatcher,
  type Framing,
  type MethodEntry,
  shuttingDown,
  type Wire,
} from '../dispatcher/index.ts';
import { EnvelopeReader, HEAD_BYTES, malformed, sealFrame } from '../envelope/index.ts';
import type { FaultWriter } from '../faults/index.ts';
import { grpcTimeoutMs, statusTrailers, trailersAsHeaders } from '../grpc/index.ts';
import { chunkOf } from '../http/index.ts';
import type { DescriptorIndex } from './descriptor-index.ts';
import { reflectionAnswer } from './reflection-answer.ts';

interface ReflectionParts {
  readonly codec: Codec;
  readonly faults: FaultWriter;
  readonly dispatcher: Dispatcher;
  readonly index: DescriptorIndex;
  readonly requestBytes: number;
}

/** A call with its own wire, beside the operations. */
export interface StandardCall {
  readonly method: MethodEntry;
  readonly wire: Wire;
}

/** Server reflection, the one service whose client streams: every question is answered as it comes (API-2). */
class ReflectionWire implements Wire {
  readonly transport = 'grpc';
  readonly #parts: ReflectionParts;

  constructor(parts: ReflectionParts) {
    this.#parts = parts;
  }

  timeoutMs(call: Call): number | undefined {
    return grpcTimeoutMs(call.exchange.header('grpc-timeout'));
  }

  read(call: Call): void {
    const { dispatcher, requestBytes } = this.#parts;
    const reader = new EnvelopeReader(requestBytes);
    const { exchange } = call;
    const finish = (error: unknown): void => {
      if (call.finished) return;
      dispatcher.streams.delete(stream);
      const fault = error === undefined ? undefined : dispatcher.faultOf(error, call.requestId);
      if (fault === undefined) dispatcher.complete(call);
      else dispatcher.endBroken(call, fault);
      exchange.end(statusTrailers(fault, this.#parts.faults));
    };
    const stream = {
      keepAlive: () => dispatcher.checkCredential(call, finish),
      shutDown: () => finish(shuttingDown()),
    };
    dispatcher.streams.add(stream);
    exchange.open(200, ['content-type', 'application/grpc+proto', 'x-request-id', call.requestId], true);
    exchange.onGone(() => finish(undefined));
    exchange.readPieces(
      (piece) => {
        try {
          for (const { flags, data } of reader.push(piece)) exchange.write(chunkOf(this.#answer(flags, data)));
        } catch (error) {
          finish(error);
        }
      },
      () => finish(undefined),
    );
  }

  #answer(flags: number, data: Buffer): Buffer {
    if (flags !== 0) throw malformed('compressed messages are not accepted here');
    const { codec, index } = this.#parts;
    const request = codec.fromBinary(v1.ServerReflectionRequestSchema, data) as v1.ServerReflectionRequest;
    return sealFrame(
      codec.binary.encode(v1.ServerReflectionResponseSchema, reflectionAnswer(index, request), HEAD_BYTES),
    );
  }

  answer(): void {
    throw new Error('reflection answers as a stream');
  }

  refuse(call: Call, fault: Fault): void {
    const headers = ['content-type', 'application/grpc+proto', 'x-request-id', call.requestId];
    call.exchange.answer(200, [...headers, ...trailersAsHeaders(statusTrailers(fault, this.#parts.faults))]);
  }

  framing(): Framing {
    throw new Error('reflection frames by itself');
  }
}

/** Both versions of the reflection service. */
export const reflectionCalls = (parts: ReflectionParts): StandardCall[] =>
  [v1.ServerReflection, v1alpha.ServerReflection].map(({ typeName, method }) => {
    const { name, input, output } = method.serverReflectionInfo;
    const operation = `${typeName}/${name}`;
    const entry = { operation, rpcPath: `/${operation}`, streaming: true, input, output, http: undefined };
    return {
      method: { ...entry, mounted: true, handler: undefined, authenticated: true },
      wire: new ReflectionWire(parts),
    };
  });
