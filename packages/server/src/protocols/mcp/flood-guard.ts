import type { Transport } from '@modelcontextprotocol/client';

/** Messages that no one asked for, between two answers. */
const UNASKED_MAX = 10_000;
/** Requests of the server, between two answers: each makes the library write a reply that a server may leave unread. */
const REQUESTS_MAX = 1_000;

type Receive = NonNullable<Transport['onmessage']>;

type Message = Parameters<Receive>[0];

interface Guarding {
  readonly flooded: () => void;
  /** What the library gets for a message. */
  readonly read: (message: Message) => Message;
}

/** Calls `flooded` once the other side sends far more than it is asked for, and takes nothing from it any more. */
export const guardFlood = (transport: Transport, { flooded, read }: Guarding): void => {
  const given: { receive?: Receive | undefined } = {};
  let unasked = 0;
  let requests = 0;
  let isFlooded = false;
  const guarded: Receive = (message, extra) => {
    if (isFlooded) return;
    if (!('method' in message)) {
      unasked = 0;
      requests = 0;
    } else {
      unasked++;
      if ('id' in message) requests++;
      isFlooded = unasked > UNASKED_MAX || requests > REQUESTS_MAX;
      if (isFlooded) return flooded();
    }
    given.receive?.(read(message), extra);
  };
  // The library sets the function itself while it connects.
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => (given.receive === undefined ? undefined : guarded),
    set: (receive: Receive | undefined) => {
      given.receive = receive === guarded ? given.receive : receive;
    },
  });
};
