import type { Fault } from '../../base/index.ts';
import type { StreamSink } from '../../operations/index.ts';
import { type Call, clientGone, type Framing } from './call.ts';
import type { OpenStream } from './stream-registry.ts';

/** What a sink tells the dispatcher. */
export interface SinkOwner {
  opened(sink: CallSink): void;
  /** Credential checked again and still good; otherwise it ends the stream itself. */
  recheck(sink: CallSink): void;
  shutDown(sink: CallSink): void;
}

/** Where a streaming handler writes; one small object per open stream, writing synchronously to the socket. */
export class CallSink implements StreamSink<object>, OpenStream {
  readonly call: Call;
  readonly #owner: SinkOwner;
  readonly #framing: Framing;
  /** Id of the last message written: the cursor to resume from. */
  lastId = '';
  #sent = false;
  #ended = false;

  constructor(call: Call, framing: Framing, owner: SinkOwner) {
    this.call = call;
    this.#framing = framing;
    this.#owner = owner;
  }

  open(): void {
    const { call } = this;
    if (call.opened || this.#ended) return;
    call.opened = true;
    call.exchange.open(200, this.#framing.headers(call), this.#framing.hasTrailers);
    if (call.exchange.method === 'HEAD') {
      call.exchange.end();
      call.abort(clientGone());
      return;
    }
    if (this.#framing.opening !== undefined) call.exchange.write(this.#framing.opening);
    this.#owner.opened(this);
  }

  send(message: object, id: string): boolean {
    if (this.#ended) return false;
    this.open();
    const chunk = this.#framing.chunk(message, id, !this.#sent);
    this.#sent = true;
    this.lastId = id;
    return this.call.exchange.write(chunk);
  }

  together(work: () => void): void {
    if (this.#ended) return work();
    this.open();
    this.call.exchange.together(work);
  }

  onDrained(notify: () => void): void {
    this.call.exchange.onDrained(notify);
  }

  get writable(): boolean {
    return !this.#ended && this.call.exchange.writable;
  }

  keepAlive(): void {
    const chunk = this.#framing.keepAlive;
    if (chunk !== undefined && this.writable) this.call.exchange.write(chunk);
    this.#owner.recheck(this);
  }

  shutDown(): void {
    this.#owner.shutDown(this);
  }

  /** Ends the stream, with a fault or with OK. Later sends do nothing. */
  finish(fault: Fault | undefined): void {
    if (this.#ended) return;
    if (fault === undefined) this.open();
    this.#ended = true;
    if (!this.call.opened && fault !== undefined) this.call.wire.refuse(this.call, fault);
    else if (!this.call.exchange.closed) this.#framing.end(this.call, fault, !this.#sent);
  }
}
