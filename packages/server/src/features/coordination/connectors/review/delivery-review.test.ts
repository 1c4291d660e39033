import { toJson } from '@bufbuild/protobuf';
import { type Delivery, DeliverySchema, MessageRole } from '@svc/api/data';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFault } from '../../../../base/index.ts';
import { recordKey } from '../../../../resources/index.ts';
import { PART } from '../../../../runtime/contract.ts';
import { DeliveryWorld } from '../testing/delivery-world.ts';
import { DeliveryActivities } from './delivery-activity.ts';

const STATUS = 'svc/connector-delivery-status';

describe('a reply that waits for review', () => {
  let world: DeliveryWorld;
  beforeEach(async () => {
    world = new DeliveryWorld();
    await world.start();
    await world.connector('review');
  });
  afterEach(() => world.close());

  /** Sets the label as UpdateSessionMessage does, with another text where one is given. */
  const set = (said: { readonly sessionId: string; readonly replyMessageId: string }, status: string, text?: string) =>
    world.engine.store
      .write(async (tx) => {
        const session = await tx.log.lockSession(said.sessionId);
        const message = await tx.log.message(said.sessionId, said.replyMessageId);
        if (session === undefined || message === undefined) throw new Error('no message');
        if (message.labels[STATUS] === status) return 'no change';
        const parts = [{ id: '000000', type: PART.TEXT, content: text ?? '', createdAt: 1 }];
        const edited = text === undefined ? message : { ...message, parts: JSON.stringify(parts) };
        const labels = await world.turns.setStatus(tx, { session, message: edited, status });
        await tx.log.saveMessage({ ...edited, labels });
        return labels[STATUS];
      })
      .catch((error: unknown) => (isFault(error) ? error.violations?.[0]?.reason : String(error)));

  const [HELD, REQUESTED, SKIPPED] = ['pending_review', 'delivery_requested', 'skipped'];

  // CO-6, 36
  it('is sent once it is released, as it was edited until then and once', async () => {
    const said = await world.answered('!say draft');
    await world.deliver();
    expect(await world.states()).toEqual(['held']);
    expect(world.service.seen).toEqual([]);
    expect((await world.labels(said.sessionId))[STATUS]).toBe(HELD);
    expect(await Promise.all([set(said, REQUESTED, 'final'), set(said, REQUESTED)])).toEqual([REQUESTED, 'no change']);
    await world.engine.store.write(async (tx) => {
      const message = await tx.log.message(said.sessionId, said.replyMessageId);
      if (message !== undefined) await tx.log.saveMessage({ ...message, parts: '[]' });
    });
    await world.deliver();
    expect(world.service.deliveries).toMatchObject([{ text: 'final' }]);
    expect((await world.labels(said.sessionId))[STATUS]).toBe('delivered');
  });

  it('is never sent once it is skipped, unless it is requested after all', async () => {
    const said = await world.answered('!say draft');
    expect(await set(said, SKIPPED)).toBe(SKIPPED);
    await world.deliver();
    expect(world.service.seen).toEqual([]);
    expect(await set(said, REQUESTED)).toBe(REQUESTED);
    await world.deliver();
    expect(await set(said, REQUESTED)).toBe(REQUESTED);
    await world.deliver();
    const ids = world.service.deliveries.map(({ deliveryId }) => deliveryId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(await world.states()).toEqual(['delivered']);
  });

  it('is skipped in place of being sent when nothing is left to say', async () => {
    const said = await world.answered('!say draft');
    expect(await set(said, REQUESTED, ' [silent] ')).toBe(SKIPPED);
    await world.deliver();
    expect(world.service.seen).toEqual([]);
  });

  it('takes no status that a person may not set', async () => {
    const held = await world.answered('!say draft');
    for (const status of ['delivered', 'failed', 'sent', '']) expect(await set(held, status)).toBe('DELIVERY_STATUS');
    await set(held, REQUESTED);
    expect(await set(held, SKIPPED)).toBe('DELIVERY_STATUS');
    const { sessionId, turnId, replyMessageId } = await world.engine
      .send(held.sessionId, '!say private')
      .then(async (sent) => ({ sessionId: held.sessionId, ...sent }));
    await world.engine.ended(turnId);
    expect(await set({ sessionId, replyMessageId }, REQUESTED)).toBe('DELIVERY_STATUS');
    await world.connector('auto');
    const sent = await world.answered('!say direct', { message: 'b' });
    await world.deliver();
    expect(await set(sent, REQUESTED)).toBe('DELIVERY_STATUS');
  });

  it('is released, skipped and listed by DeliveryService as well', async () => {
    const first = await world.answered('!say one', { message: 'a' });
    const second = await world.answered('!say two', { message: 'b' });
    const listed = async (asked: object): Promise<unknown> =>
      ((await world.call('ListDeliveries', { ...asked })) as { deliveries: { text: string }[] }).deliveries.map(
        ({ text }) => text,
      );
    await world.engine.store.write((tx) =>
      tx.resources.insert({
        key: recordKey('Namespace', '', 'default'),
        uid: 'n',
        generation: 1,
        createdAt: 1,
        labels: {},
        annotations: {},
        owners: [],
        finalizers: [],
        apiVersion: 'svc/v1',
        spec: '{}',
        status: '{}',
      }),
    );
    expect(await listed({ state: 'held' })).toEqual(['two', 'one']);
    const [one, two] = await world.rows();
    expect(await world.call('ReleaseDelivery', { deliveryId: one?.id })).toMatchObject({
      delivery: { state: 'pending' },
    });
    expect(await world.call('SkipDelivery', { deliveryId: two?.id })).toMatchObject({ delivery: { state: 'skipped' } });
    for (const name of ['ReleaseDelivery', 'SkipDelivery', 'RetryDelivery'])
      await expect(world.call(name, { deliveryId: one?.id })).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
        reason: 'DELIVERY_ACTIVE',
        metadata: { delivery_id: one?.id, state: 'pending' },
      });
    await expect(world.call('SkipDelivery', { deliveryId: 'x' })).rejects.toMatchObject({
      reason: 'DELIVERY_NOT_FOUND',
    });
    await expect(world.call('SkipDelivery', { ns: 'other', deliveryId: two?.id })).rejects.toMatchObject({
      reason: 'DELIVERY_NOT_FOUND',
    });
    await expect(world.call('ListDeliveries', { state: 'lost' })).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
    expect((await world.labels(first.sessionId))[STATUS]).toBe(REQUESTED);
    expect((await world.labels(second.sessionId))[STATUS]).toBe(SKIPPED);
    await world.deliver();
    expect(world.service.deliveries.map(({ text }) => text)).toEqual(['one']);
    expect(await listed({})).toEqual(['two', 'one']);
    expect(await listed({ connector: 'help', state: 'delivered' })).toEqual(['one']);
    expect(await listed({ connector: 'other' })).toEqual([]);
    const page = (await world.call('ListDeliveries', { pageSize: 1 })) as { nextPageToken: string };
    expect(await listed({ pageSize: 1, pageToken: page.nextPageToken })).toEqual(['one']);
  });

  it('is told to consoles with each of its changes, as DeliveryService shows it', async () => {
    const told: { readonly namespace: string; readonly data: Readonly<Record<string, unknown>> }[] = [];
    const stop = new DeliveryActivities(world.engine.bus).subscribe(({ namespace, data }) =>
      told.push({ namespace, data: JSON.parse(data) }),
    );
    const { sessionId, replyMessageId } = await world.answered('!say draft');
    const [held] = await world.rows();
    expect(told).toEqual([
      { namespace: 'default', data: toJson(DeliverySchema, held as Delivery, { alwaysEmitImplicit: true }) },
    ]);
    expect(told[0]?.data).toMatchObject({ ns: 'default', connector: 'help', state: 'held', sessionId, text: 'draft' });
    await set({ sessionId, replyMessageId }, REQUESTED);
    await world.deliver();
    expect(told.map(({ data }) => `${data['id'] === held?.id} ${data['state']} ${data['attempts']}`)).toEqual([
      'true held 0',
      'true pending 0',
      'true pending 1',
      'true delivered 1',
    ]);
    stop();
    await world.answered('!say unheard');
    expect(told).toHaveLength(4);
  });

  it('is also what a client appends for the agent, as a reply to the newest message of the platform', async () => {
    const { sessionId } = await world.answered('!say NO_REPLY', { message: 'a', thread: 't' });
    const labels = await world.engine.store.write(async (tx) => {
      const session = await tx.log.lockSession(sessionId);
      if (session === undefined) throw new Error('no session');
      const parts = [{ id: '', type: PART.TEXT, content: 'from a person', createdAt: 1 }];
      const draft = { id: '', role: MessageRole.ROLE_ASSISTANT, createdAt: 1, labels: {}, parts };
      const message = await world.engine.runtime.lifecycle.append(tx, session, draft);
      return world.turns.appended(tx, { session, message });
    });
    expect(labels).toEqual({ [STATUS]: HELD });
    const [row] = await world.rows();
    await world.call('ReleaseDelivery', { deliveryId: row?.id });
    await world.deliver();
    expect(world.service.deliveries).toMatchObject([
      { text: 'from a person', externalThreadId: 't', replyToExternalMessageId: 'a' },
    ]);
  });
});
