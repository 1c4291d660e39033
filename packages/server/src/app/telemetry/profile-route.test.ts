import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../auth/contract.ts';
import { type CancelTimer, isFault, ManualClock } from '../../base/index.ts';
import type { HttpExchange } from '../../operations/index.ts';
import { profileRoute } from './profile-route.ts';

/** Tells when something waits for it. */
class WatchedClock extends ManualClock {
  #armed = Promise.withResolvers<void>();

  override after(delayMs: number, fire: () => void): CancelTimer {
    this.#armed.resolve();
    return super.after(delayMs, fire);
  }

  /** The next capture has begun. */
  async begun(): Promise<void> {
    await this.#armed.promise;
    this.#armed = Promise.withResolvers<void>();
  }
}

interface Given {
  readonly clock?: WatchedClock;
  readonly isAdmin?: boolean;
}

const open = ({ clock = new WatchedClock(), isAdmin = true }: Given = {}) => {
  const route = profileRoute({ clock, authorizer: { allows: (_caller, role) => isAdmin && role === 'admin' } });
  const ask = (query: string, signal = new AbortController().signal) => {
    const answers: { readonly status: number; readonly headers: unknown; readonly body: string }[] = [];
    const exchange = {
      query: new URLSearchParams(query),
      answer: (status: number, headers: unknown, body: string) => answers.push({ status, headers, body }),
    } as unknown as HttpExchange;
    const done = route.handle(exchange, {}, { caller: {}, signal } as unknown as CallContext);
    return { answers, done };
  };
  return { route, ask, clock };
};

const reasonOf = (work: Promise<void>): Promise<string> =>
  work.then(
    () => '',
    (error: unknown) => (isFault(error) ? error.reason : String(error)),
  );

describe('/debug/profile', () => {
  it('is for callers with a credential on this machine', () => {
    const { route } = open();
    expect(route).toMatchObject({ pattern: '/debug/profile', authenticated: true, loopbackOnly: true });
  });

  it.each(['cpu', 'heap'])('answers a %s profile of the asked length', async (kind) => {
    const { ask, clock } = open();
    const { answers, done } = ask(`type=${kind}&seconds=60`);
    await clock.begun();
    const held = Array.from({ length: 50_000 }, (_, index) => ({ index, text: `made meanwhile ${index}` }));
    clock.advance(59_999);
    expect(answers).toEqual([]);
    clock.advance(1);
    await done;
    expect(answers).toMatchObject([{ status: 200 }]);
    const profile = JSON.parse(answers[0]?.body ?? '');
    expect(kind === 'cpu' ? profile.nodes.length : profile.head.children.length).toBeGreaterThan(0);
    expect(answers[0]?.body).not.toContain(held.at(-1)?.text);
  });

  it('refuses callers who are no admins, other lengths and kinds', async () => {
    expect(await reasonOf(open({ isAdmin: false }).ask('').done)).toBe('ROLE');
    const { ask } = open();
    for (const query of ['seconds=61', 'seconds=0', 'seconds=1.5', 'seconds=x', 'type=snapshot'])
      expect([query, await reasonOf(ask(query).done)]).toEqual([query, 'FIELD_INVALID']);
  });

  it('makes one capture at a time and ends one whose caller went away', async () => {
    const { ask, clock } = open();
    const abort = new AbortController();
    const first = ask('', abort.signal);
    await clock.begun();
    expect(await reasonOf(ask('').done)).toBe('BUSY');
    abort.abort();
    await first.done;
    expect(first.answers).toEqual([]);
    const second = ask('seconds=1');
    await clock.begun();
    clock.advance(1000);
    await second.done;
    expect(second.answers).toHaveLength(1);
  });
});
