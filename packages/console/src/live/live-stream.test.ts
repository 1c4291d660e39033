import { describe, expect, it } from 'vitest';
import type { ServerEvent } from './event-lines.ts';
import { type LiveHost, LiveStream } from './live-stream.ts';

/** One connection of the test's server. */
class Connection {
  readonly after: string;
  readonly signal: AbortSignal;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly body: ReadableStream<Uint8Array>;

  constructor(after: string, signal: AbortSignal) {
    this.after = after;
    this.signal = signal;
    this.body = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
        signal.addEventListener('abort', () => controller.error(new Error('closed by the client')));
      },
    });
  }

  write(text: string): void {
    this.#controller?.enqueue(new TextEncoder().encode(text));
  }

  end(): void {
    this.#controller?.close();
  }
}

/** A server and a clock that the test moves. */
class TestHost implements LiveHost {
  readonly connections: Connection[] = [];
  readonly pauses: { readonly ms: number; readonly end: () => void }[] = [];
  /** Status of the next answers; 200 when there is none. */
  readonly statuses: number[] = [];
  readonly failures: unknown[] = [];
  random = (): number => 1;
  failed = (error: unknown): void => void this.failures.push(error);

  open = async (after: string, signal: AbortSignal): Promise<Response> => {
    const status = this.statuses.shift() ?? 200;
    const connection = new Connection(after, signal);
    this.connections.push(connection);
    if (status === 0) throw new TypeError('network');
    return new Response(connection.body, { status });
  };

  pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      this.pauses.push({ ms, end: resolve });
      signal.addEventListener('abort', () => resolve());
    });

  /** Waits that are not looks for silence. */
  get waits(): readonly number[] {
    return this.pauses.map(({ ms }) => ms).filter((ms) => ms !== 15_000);
  }

  endWait(): void {
    this.pauses.findLast(({ ms }) => ms !== 15_000)?.end();
  }
}

const begun = (): { readonly host: TestHost; readonly stream: LiveStream; readonly events: ServerEvent[] } => {
  const host = new TestHost();
  const stream = new LiveStream(host);
  const events: ServerEvent[] = [];
  stream.listen((event) => events.push(event));
  stream.start();
  return { host, stream, events };
};

describe('LiveStream', () => {
  it('hands on events, and continues behind the last one after the connection broke', async () => {
    const { host, stream, events } = begun();
    await expect.poll(() => stream.state).toBe('open');
    expect(host.connections[0]?.after).toBe('');
    host.connections[0]?.write('event: ready\nid: c0\ndata: {}\n\nevent: turn\nid: c1\ndata: {}\n\n');
    await expect.poll(() => events.map(({ id }) => id)).toEqual(['c0', 'c1']);
    host.connections[0]?.end();
    await expect.poll(() => stream.state).toBe('waiting');
    host.endWait();
    await expect.poll(() => host.connections.length).toBe(2);
    expect(host.connections[1]?.after).toBe('c1');
    await expect.poll(() => stream.state).toBe('open');
    stream.stop();
  });

  it('tells what a listener throws, and neither loses the event for others nor the connection', async () => {
    const host = new TestHost();
    const stream = new LiveStream(host);
    const mistake = new Error('a mistake of the page');
    stream.listen(() => {
      throw mistake;
    });
    const ids: string[] = [];
    stream.listen(({ id }) => ids.push(id));
    stream.start();
    host.connections[0]?.write('id: c1\ndata: {}\n\nid: c2\ndata: {}\n\n');
    await expect.poll(() => ids).toEqual(['c1', 'c2']);
    expect([host.failures, host.connections.length, stream.state]).toEqual([[mistake, mistake], 1, 'open']);
    stream.stop();
  });

  it('waits longer after each failure, up to 10 seconds, and says so only once', async () => {
    const { host, stream } = begun();
    host.statuses.push(...Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? 503 : 0)));
    const states: string[] = [];
    stream.watch(() => states.push(stream.state));
    host.connections[0]?.end();
    for (let round = 1; round <= 7; round += 1) {
      await expect.poll(() => host.waits.length).toBe(round);
      host.endWait();
    }
    await expect.poll(() => stream.state).toBe('open');
    expect(host.waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
    expect(states.filter((state) => state === 'waiting')).toHaveLength(1);
    stream.stop();
  });

  it('closes a connection on which nothing comes for three looks', async () => {
    const { host, stream } = begun();
    await expect.poll(() => stream.state).toBe('open');
    const looks = (): number => host.pauses.filter(({ ms }) => ms === 15_000).length;
    for (let look = 1; look <= 3; look += 1) {
      await expect.poll(looks).toBe(look);
      expect(host.connections[0]?.signal.aborted).toBe(false);
      host.pauses.filter(({ ms }) => ms === 15_000)[look - 1]?.end();
    }
    await expect.poll(() => host.connections[0]?.signal.aborted).toBe(true);
    await expect.poll(() => stream.state).toBe('waiting');
    stream.stop();
  });

  it('stops at a credential that is no longer good', async () => {
    const host = new TestHost();
    host.statuses.push(401);
    const stream = new LiveStream(host);
    stream.start();
    await expect.poll(() => stream.state).toBe('refused');
    expect(host.connections).toHaveLength(1);
  });

  it('keeps its place while it is paused', async () => {
    const { host, stream, events } = begun();
    await expect.poll(() => stream.state).toBe('open');
    host.connections[0]?.write('event: turn\nid: c7\ndata: {}\n\n');
    await expect.poll(() => events.length).toBe(1);
    stream.stop();
    expect([stream.state, host.connections[0]?.signal.aborted]).toEqual(['paused', true]);
    stream.start();
    stream.start();
    await expect.poll(() => stream.state).toBe('open');
    expect(host.connections.map(({ after }) => after)).toEqual(['', 'c7']);
    stream.stop();
  });
});
