import type { Fault } from '../../base/index.ts';
import type { EncodeJson } from '../codec/index.ts';
import type { Call, Framing } from '../dispatcher/index.ts';
import type { FaultWriter } from '../faults/index.ts';
import { chunkOf, type HeaderList, type OriginRules, type StreamChunk } from '../http/index.ts';
import { addOrigin, streamHeaders } from './answer-headers.ts';

export type StreamForm = 'ndjson' | 'sse' | 'array';

/** Form of a REST stream, by `Accept`. */
export const streamForm = (accept: string | undefined): StreamForm => {
  if (accept === undefined) return 'ndjson';
  const types = accept.toLowerCase();
  if (types.includes('text/event-stream')) return 'sse';
  if (types.includes('application/x-ndjson')) return 'ndjson';
  return types.includes('application/json') ? 'array' : 'ndjson';
};

interface FramingParts {
  readonly encode: EncodeJson;
  readonly faults: FaultWriter;
  readonly origins: OriginRules;
}

/**
 * Chunks by message object: an event is encoded and framed once, however many readers it has. Readers get it one right after
 * the other, so the last chunk is kept; longer only those of frozen messages, which their maker keeps for many.
 */
class ChunkCache {
  readonly #kept = new WeakMap<object, { readonly id: string; readonly chunk: StreamChunk }>();
  #message: object | undefined;
  #id = '';
  #chunk: StreamChunk | undefined;

  get(message: object, id: string, make: () => string): StreamChunk {
    if (this.#chunk !== undefined && this.#message === message && this.#id === id) return this.#chunk;
    const isKept = Object.isFrozen(message);
    const known = isKept ? this.#kept.get(message) : undefined;
    const chunk = known?.id === id ? known.chunk : chunkOf(make());
    if (isKept) this.#kept.set(message, { id, chunk });
    this.#message = message;
    this.#id = id;
    this.#chunk = chunk;
    return chunk;
  }
}

abstract class RestFraming implements Framing {
  readonly chunks = new ChunkCache();
  readonly encode: EncodeJson;
  readonly faults: FaultWriter;
  readonly #origins: OriginRules;
  abstract readonly contentType: string;
  abstract readonly keepAlive: StreamChunk;

  constructor(parts: FramingParts) {
    this.encode = parts.encode;
    this.faults = parts.faults;
    this.#origins = parts.origins;
  }

  headers(call: Call): HeaderList {
    return addOrigin(streamHeaders(call, this.contentType), call.origin, this.#origins);
  }

  abstract chunk(message: object, id: string, isFirst: boolean): StreamChunk;
  abstract end(call: Call, fault: Fault | undefined, isFirst: boolean): void;
}

class NdjsonFraming extends RestFraming {
  readonly contentType = 'application/x-ndjson';
  readonly keepAlive = chunkOf('\n');

  chunk(message: object): StreamChunk {
    return this.chunks.get(message, '', () => `${this.encode(message)}\n`);
  }

  end(call: Call, fault: Fault | undefined): void {
    if (fault !== undefined) call.exchange.write(chunkOf(`${this.faults.body(fault)}\n`));
    call.exchange.end();
  }
}

/** Characters that would end the line of an SSE field. */
const lineEnds = /[\r\n\0]/g;

class SseFraming extends RestFraming {
  readonly contentType = 'text/event-stream';
  readonly keepAlive = chunkOf(': keep-alive\n\n');

  chunk(message: object, id: string): StreamChunk {
    return this.chunks.get(message, id, () => {
      const head = id === '' ? '' : `id: ${id.replace(lineEnds, '')}\n`;
      return `${head}data: ${this.encode(message)}\n\n`;
    });
  }

  end(call: Call, fault: Fault | undefined): void {
    if (fault !== undefined) call.exchange.write(chunkOf(`event: error\ndata: ${this.faults.body(fault)}\n\n`));
    call.exchange.end();
  }
}

class ArrayFraming extends RestFraming {
  readonly contentType = 'application/json';
  readonly keepAlive = chunkOf(' ');
  readonly opening = chunkOf('[');

  chunk(message: object, _id: string, isFirst: boolean): StreamChunk {
    if (isFirst) return chunkOf(this.encode(message));
    return this.chunks.get(message, '', () => `,${this.encode(message)}`);
  }

  end(call: Call, fault: Fault | undefined, isFirst: boolean): void {
    const last = fault === undefined ? '' : `${isFirst ? '' : ','}${this.faults.body(fault)}`;
    call.exchange.write(chunkOf(`${last}]`));
    call.exchange.end();
  }
}

/** The three framings of one operation's messages. */
export const restFramings = (parts: FramingParts): Readonly<Record<StreamForm, Framing>> => ({
  ndjson: new NdjsonFraming(parts),
  sse: new SseFraming(parts),
  array: new ArrayFraming(parts),
});
