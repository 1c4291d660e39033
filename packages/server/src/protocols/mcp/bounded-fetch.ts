import { McpFailure } from './contract.ts';

/** Fetch as the library calls it. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Longest body, and longest event of an event stream: 16 MiB hold a media result of 12 MiB. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * `fetch` whose answers end with an error once one message is longer than 16 MiB: the library would collect it in memory. An event stream that ends
 * so looks to the library like one to resume, so `overflowed` learns of it.
 */
export const boundedFetch =
  (fetch: Fetch, overflowed: (failure: McpFailure) => void): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
    const bounded = response.body.pipeThrough(messageLimit(isStream, overflowed));
    const { status, statusText, headers } = response;
    const answer = new Response(bounded, { status, statusText, headers });
    Object.defineProperty(answer, 'url', { value: response.url });
    return answer;
  };

/** Counts bytes, in an event stream from the last empty line on. */
const messageLimit = (
  isStream: boolean,
  overflowed: (failure: McpFailure) => void,
): TransformStream<Uint8Array, Uint8Array> => {
  let size = 0;
  let isLineEmpty = true;
  const count = (byte: number): void => {
    size++;
    if (byte === NEWLINE) {
      if (isLineEmpty) size = 0;
      isLineEmpty = true;
    } else if (byte !== RETURN) isLineEmpty = false;
  };
  return new TransformStream({
    transform(chunk, controller) {
      if (isStream) for (const byte of chunk) count(byte);
      else size += chunk.length;
      if (size <= MESSAGE_BYTES_MAX) return controller.enqueue(chunk);
      const failure = new McpFailure('malformed', `the server sent a message above ${MESSAGE_BYTES_MAX} bytes`);
      controller.error(failure);
      if (isStream) overflowed(failure);
    },
  });
};
