import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../base/index.ts';
import { createLocalBus } from '../store/bus/local/index.ts';
import { Hub, Hubs } from './hub.ts';
import { Member } from './member.ts';
import { Reader, shuttingDown } from './reader.ts';
import { FormingSink, type Sink } from './sink.ts';
import { type Item, TestFeed } from './testing/test-feed.ts';

/** A client that lags when told to. */
class Client implements Sink<Item> {
  readonly got: number[] = [];
  readonly cursors: string[] = [];
  isLagging = false;
  breaksAt = 0;
  #drained: () => void = () => undefined;

  isOpen = false;

  open(): void {
    this.isOpen = true;
  }

  send(item: Item, cursor: string): boolean {
    if (item.place === this.breaksAt) throw new Error('cannot be encoded');
    this.got.push(item.place);
    this.cursors.push(cursor);
    return !this.isLagging;
  }

  onDrained(notify: () => void): void {
    this.#drained = notify;
  }

  catchUp(): void {
    this.isLagging = false;
    this.#drained();
  }
}

const LIMITS = { events: 4, bytes: 10_000 };

/** One stream of a feed. */
const open = (hub: Hub<Item>, { after = 0, settled = true } = {}) => {
  const client = new Client();
  const control = new AbortController();
  const reader = new Reader<Item>(client, LIMITS);
  const member = new Member(reader, hub);
  const ended = reader
    .run(control.signal, async () => {
      hub.add(member);
      reader.adopt(member);
      member.follow.start(after, settled);
    })
    .then(
      () => 'ok',
      (error: unknown) => error,
    );
  return { client, control, reader, member, ended };
};

const publish = (hub: Hub<Item>, places: readonly [number, number], bytes = 0): void => {
  for (let [place, to] = places; place <= to; place++) {
    const item = { place, bytes };
    (hub.feed as TestFeed).truth.push(item);
    hub.receive(item);
  }
};

describe('a reader', () => {
  it('gets each event with its cursor, and ends OK when it goes', async () => {
    const hub = new Hub<Item>(new TestFeed());
    const { client, control, ended, reader } = open(hub);
    publish(hub, [1, 3]);
    expect([client.got, client.cursors, reader.place]).toEqual([[1, 2, 3], ['c1', 'c2', 'c3'], 'c3']);
    control.abort();
    expect(await ended).toBe('ok');
    expect([hub.members.size, reader.ended]).toEqual([0, true]);
    publish(hub, [4, 4]);
    expect(client.got).toEqual([1, 2, 3]);
  });

  it('that lags gets in order what it missed', () => {
    const hub = new Hub<Item>(new TestFeed());
    const { client } = open(hub);
    client.isLagging = true;
    publish(hub, [1, 4]);
    expect(client.got).toEqual([1]);
    client.catchUp();
    publish(hub, [5, 5]);
    expect(client.got).toEqual([1, 2, 3, 4, 5]);
  });

  it.each([
    ['events', 0, 6],
    ['bytes', 5_000, 3],
  ])('that lags by too many %s gets what waited, then the cursor to resume from', async (_of, bytes, last) => {
    const hub = new Hub<Item>(new TestFeed());
    const { client, ended } = open(hub);
    client.isLagging = true;
    publish(hub, [1, 9], bytes);
    const fault = await ended;
    expect(fault).toMatchObject({ code: 'ABORTED', reason: 'SLOW_CONSUMER', metadata: { cursor: `c${last}` } });
    expect(client.got).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  });

  it('ends with the failure of an event that cannot be sent, and the others still get it', async () => {
    const hub = new Hub<Item>(new TestFeed());
    const [broken, other] = [open(hub), open(hub)];
    broken.client.breaksAt = 2;
    publish(hub, [1, 3]);
    expect(await broken.ended).toMatchObject({ message: 'cannot be encoded' });
    expect([broken.client.got, other.client.got]).toEqual([[1], [1, 2, 3]]);
    const late = open(hub, { after: 3 });
    late.client.isLagging = true;
    late.client.breaksAt = 5;
    publish(hub, [4, 6]);
    late.client.catchUp();
    expect(await late.ended).toMatchObject({ message: 'cannot be encoded' });
  });

  it('ends with the failure of its feed, or of its start', async () => {
    const feed = new TestFeed();
    feed.failing = true;
    const { ended } = open(new Hub<Item>(feed), { settled: false });
    await feed.settle();
    expect(await ended).toMatchObject({ message: 'truth is away' });
    const reader = new Reader<Item>(new Client(), LIMITS);
    const refused = reader.run(new AbortController().signal, () => Promise.reject(new Error('refused')));
    await expect(refused).rejects.toThrow('refused');
    expect(reader.ended).toBe(true);
  });

  it('does not begin when its client has gone already', async () => {
    const reader = new Reader<Item>(new Client(), LIMITS);
    await reader.run(AbortSignal.abort(), () => Promise.reject(new Error('begun')));
    expect(reader.ended).toBe(true);
  });

  it('of many feeds ends when each of them has nothing more to say, once all of that is taken', async () => {
    const hubs = [new Hub<Item>(new TestFeed()), new Hub<Item>(new TestFeed())];
    const client = new Client();
    const reader = new Reader<Item>(client, LIMITS);
    reader.expect(2);
    const members = hubs.map((hub) => {
      const member = new Member(reader, hub);
      hub.add(member);
      reader.adopt(member);
      member.follow.start(0, true);
      return member;
    });
    publish(hubs[0]!, [1, 2]);
    expect(reader.place).toBe('c2');
    members[0]!.finish();
    client.isLagging = true;
    publish(hubs[1]!, [1, 2]);
    members[1]!.finish();
    expect(reader.ended).toBe(false);
    client.catchUp();
    expect([reader.ended, client.got]).toEqual([true, [1, 2, 1, 2]]);
    const late = new Member(reader, hubs[0]!);
    reader.adopt(late);
    expect(late.left).toBe(true);
  });

  it('takes events that are there already at its own pace, and ends behind them', async () => {
    const hub = new Hub<Item>(new TestFeed());
    const { client, member, ended, reader } = open(hub);
    reader.expect(1);
    client.isLagging = true;
    const all = member.deliverAll([{ place: 1 }, { place: 2 }, { place: 3 }]);
    expect(client.got).toEqual([1]);
    client.catchUp();
    await all;
    expect([client.got, await ended]).toEqual([[1, 2, 3], 'ok']);
  });

  it('of a node that stops is told where to resume', async () => {
    const hub = new Hub<Item>(new TestFeed());
    const { reader, ended } = open(hub);
    publish(hub, [1, 2]);
    reader.end(shuttingDown(reader.place));
    expect(await ended).toMatchObject({ reason: 'SHUTTING_DOWN', metadata: { cursor: 'c2' } });
  });

  it('sends together what was read together, where its sink can', async () => {
    const feed = new TestFeed();
    const client = new Client();
    const writes: number[] = [];
    const whole: Sink<Item> = {
      open: () => undefined,
      send: (item, cursor) => client.send(item, cursor),
      onDrained: (notify) => client.onDrained(notify),
      together: (work) => {
        work();
        writes.push(client.got.length);
      },
    };
    const reader = new Reader<Item>(new FormingSink(whole, (item: Item) => item), LIMITS);
    const member = new Member(reader, new Hub<Item>(feed));
    feed.truth.push({ place: 1 }, { place: 2 }, { place: 3 });
    member.follow.start(0, false);
    await feed.settle();
    expect([client.got, writes]).toEqual([[1, 2, 3], [3]]);
  });

  it('may have nothing kept for a client that lags, and is told when that has caught up', () => {
    const hub = new Hub<Item>(new TestFeed());
    const client = new Client();
    const told: number[][] = [];
    const reader = new Reader<Item>(client, { ...LIMITS, caughtUp: () => told.push([...client.got]) });
    const member = new Member(reader, hub);
    hub.add(member);
    reader.adopt(member);
    member.follow.start(0, true);
    client.isLagging = true;
    publish(hub, [1, 30]);
    client.catchUp();
    publish(hub, [31, 31]);
    expect([client.got, told]).toEqual([[1, 31], [[1]]]);
  });

  it('loses and repeats nothing, however it lags, goes and resumes while events come or are lost', async () => {
    const step = fc.constantFrom('live' as const, 'drop', 'settle', 'lag', 'catchUp', 'cut');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const simulation = new Simulation();
        for (const each of steps) {
          await simulation[each]();
          if (simulation.isEnded) await simulation.cut();
        }
        expect(await simulation.finish()).toEqual(simulation.feed.truth.map((item) => item.place));
      }),
    );
  });
});

/** One client that follows a feed as long as it takes, and comes back behind what it saw. */
class Simulation {
  readonly feed = new TestFeed();
  readonly #hub = new Hub<Item>(this.feed);
  readonly #seen: number[] = [];
  #stream = open(this.#hub);
  #place = 0;

  constructor() {
    this.feed.page = 3;
  }

  get isEnded(): boolean {
    return this.#stream.reader.ended;
  }

  live(): void {
    this.drop();
    this.#hub.receive({ place: this.#place });
  }

  /** The bus loses an event. */
  drop(): void {
    this.#place += 1;
    this.feed.truth.push({ place: this.#place });
  }

  settle(): Promise<void> {
    return this.feed.settle();
  }

  lag(): void {
    this.#stream.client.isLagging = true;
  }

  catchUp(): void {
    this.#stream.client.catchUp();
  }

  async cut(): Promise<void> {
    this.#stream.control.abort();
    await this.#stream.ended;
    this.#seen.push(...this.#stream.client.got);
    this.#stream = open(this.#hub, { after: this.#seen.at(-1) ?? 0, settled: false });
  }

  /** All that the client saw. */
  async finish(): Promise<readonly number[]> {
    this.catchUp();
    this.#hub.lost();
    while (this.feed.reads.length > 0) await this.feed.settle();
    this.#stream.control.abort();
    await this.#stream.ended;
    return [...this.#seen, ...this.#stream.client.got];
  }
}

describe('hubs', () => {
  it('listen from the first member to the last, and hand all of them the same event', async () => {
    const bus = createLocalBus(silentLog);
    const made: Hub<Item>[] = [];
    const hubs = new Hubs<Item, Hub<Item>>(bus);
    const hubOf = (): Hub<Item> =>
      hubs.open('key', 'subject', () => {
        const hub = new Hub<Item>(new TestFeed());
        made.push(hub);
        return hub;
      });
    const [first, second] = [open(hubOf()), open(hubOf())];
    expect([made.length, hubs.get('key')]).toEqual([1, made[0]]);
    bus.publish('subject', { place: 1 });
    first.control.abort();
    await first.ended;
    bus.publish('subject', { place: 2 });
    second.control.abort();
    await second.ended;
    bus.publish('subject', { place: 3 });
    expect([first.client.got, second.client.got]).toEqual([[1], [1, 2]]);
    expect([hubs.get('key'), open(hubOf()).client.got, made.length]).toEqual([undefined, [], 2]);
    await bus.close();
  });
});
