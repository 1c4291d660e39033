import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bench } from '../../testing/bench.ts';

export interface WebhookCase {
  readonly open: () => Promise<Bench>;
  /** A webhook with one message of a person, correctly signed. */
  readonly message: (message: {
    readonly id: string;
    readonly text: string;
  }) => RequestInit & { readonly path?: string };
  /** Webhooks with a message that must be refused, by what is wrong with them. */
  readonly refused: Readonly<Record<string, () => RequestInit & { readonly path?: string }>>;
  /** A delivery into the conversation of the messages. */
  readonly reply: Readonly<Record<string, unknown>>;
  /** The call of the platform that writes a message. */
  readonly writing: RegExp;
  /** The platform's answers for: too many calls, to be repeated after 7 s; a credential that it no longer accepts. */
  readonly limited: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly json?: unknown;
  };
  readonly unauthorized: { readonly status?: number; readonly json?: unknown };
}

/** What every platform with webhooks promises, against a server that speaks its API. */
export function webhookSuite(given: WebhookCase): void {
  let bench: Bench;
  beforeAll(async () => {
    bench = await given.open();
  });
  afterAll(async () => {
    await bench.close();
  });

  describe('webhooks', () => {
    it('are not acknowledged when svc dies before its commit, and are taken when they arrive again', async () => {
      const message = given.message({ id: '1001', text: 'are you there?' });
      bench.svc.failures.push({ status: 500 });
      expect((await bench.webhook(message)).status).toBe(503);
      expect(bench.svc.events).toEqual([]);
      expect((await bench.webhook(message)).status).toBe(200);
      expect(bench.svc.events.map(({ text }) => text)).toEqual(['are you there?']);
    });

    it('become one message however often they arrive', async () => {
      const copies = Array.from({ length: 20 }, () => bench.webhook(given.message({ id: '1002', text: 'once' })));
      const answers = await Promise.all(copies);
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      expect(bench.svc.events.filter(({ text }) => text === 'once')).toHaveLength(1);
    });

    it.each(Object.keys(given.refused))('are refused with %s', async (name) => {
      const before = bench.svc.outcomes.length;
      const { status } = await bench.webhook(given.refused[name]?.() ?? {});
      expect([400, 401, 403]).toContain(status);
      expect(bench.svc.outcomes).toHaveLength(before);
    });

    it('wait after a restart until svc has registered again', async () => {
      await bench.restart();
      const message = given.message({ id: '1003', text: 'after the restart' });
      expect((await bench.webhook(message)).status).toBe(503);
      expect(await (await bench.deliver({ ...given.reply, deliveryId: 'early' })).json()).toMatchObject({
        disposition: 'unregistered',
      });
      await bench.svc.register(bench.url);
      expect((await bench.webhook(message)).status).toBe(200);
      expect(bench.svc.events.at(-1)?.text).toBe('after the restart');
    });
  });

  describe('deliveries', () => {
    it('are written once', async () => {
      const before = bench.platform.callsTo(given.writing).length;
      const reply = { ...given.reply, deliveryId: 'once', text: 'Hello **Ada**' };
      expect(await (await bench.deliver(reply)).json()).toEqual({ accepted: true, disposition: 'accepted' });
      expect(await (await bench.deliver(reply)).json()).toEqual({ accepted: true, disposition: 'duplicate' });
      const calls = bench.platform.callsTo(given.writing).slice(before);
      expect(calls).toHaveLength(1);
      expect(calls[0]?.body.toString()).toContain('Ada');
    });

    it('are repeated when the platform limits the rate, and not before', async () => {
      bench.platform.faults.push({ path: given.writing, answer: given.limited });
      const reply = { ...given.reply, deliveryId: 'limited', text: 'busy' };
      const answer = await bench.deliver(reply);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^(7|30)$/)]);
      expect((await bench.deliver(reply)).status).toBe(200);
    });

    it('report a credential that the platform refuses, and its recovery', async () => {
      bench.platform.faults.push({ path: given.writing, answer: given.unauthorized });
      const reply = { ...given.reply, deliveryId: 'revoked', text: 'hello?' };
      expect((await bench.deliver(reply)).status).toBe(503);
      await expect.poll(() => bench.svc.statuses.at(-1)?.status).toBe('revoked');
      expect((await bench.deliver(reply)).status).toBe(200);
      await expect.poll(() => bench.svc.statuses.at(-1)?.status).toBe('connected');
    });
  });
}
