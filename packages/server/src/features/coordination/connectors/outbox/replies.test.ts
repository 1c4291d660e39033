import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelSubject, keepContext, runSubject } from '../context/index.ts';
import { DeliveryWorld } from '../testing/delivery-world.ts';

describe('what is delivered', () => {
  let world: DeliveryWorld;
  beforeEach(async () => {
    world = new DeliveryWorld();
    await world.start();
    await world.connector('auto');
  });
  afterEach(() => world.close());

  it('goes, with every field, to the conversation of the message that caused it', async () => {
    const { sessionId, replyMessageId } = await world.answered('!say  done \n');
    await world.deliver();
    const [row] = await world.rows();
    expect(row).toMatchObject({
      state: 'delivered',
      attempts: 1,
      sessionId,
      messageId: replyMessageId,
      agent: 'helper',
    });
    const [seen] = world.service.seen;
    expect(seen?.headers).toMatchObject({
      authorization: 'Bearer key-1',
      'idempotency-key': row?.id,
      'svc-connector-protocol': 'v1',
      'content-type': 'application/json',
    });
    expect(seen?.body).toEqual({
      deliveryId: row?.id,
      registrationId: 'Namespace/default/ConnectorClass/chat',
      connectorClass: 'chat',
      namespace: 'default',
      connectorName: 'help',
      matchFields: { team: 't1' },
      externalConversationId: 'C1',
      replyToExternalMessageId: 'm1',
      text: 'done',
      attachments: [],
      labels: {
        'svc.replySource': 'session',
        'svc.connectorEvent': 'event-m1',
        'svc.session': sessionId,
        'svc.agent': 'helper',
        'svc.sessionMessage': replyMessageId,
      },
    });
  });

  // CO-6, 33
  it('carries the thread and the message of its own cause, in a session of several threads', async () => {
    const { sessionId } = await world.answered('!say one', { thread: 't1', message: 'a' });
    await world.answered('!say two', { session: sessionId, thread: 't2', message: 'b' });
    const { turnId } = await world.engine.send(sessionId, '!say private');
    await world.engine.ended(turnId);
    await world.deliver();
    expect(
      world.service.deliveries.map((body) => [
        body['text'],
        body['externalThreadId'],
        body['replyToExternalMessageId'],
      ]),
    ).toEqual([
      ['one', 't1', 'a'],
      ['two', 't2', 'b'],
    ]);
  });

  it('follows the mode that the connector has when the turn ends', async () => {
    await world.connector('thread');
    await world.answered('!say threaded', { message: 'a' });
    await world.connector('none');
    await world.answered('!say nothing', { message: 'b' });
    await world.deliver();
    expect(world.service.deliveries.map((body) => [body['text'], body['externalThreadId']])).toEqual([
      ['threaded', 'a'],
    ]);
  });

  it('follows the mode and the fields of the event once the connector is gone', async () => {
    await world.engine.store.write(async (tx) => {
      const [record] = await tx.resources.list({ kind: 'Connector', scope: { type: 'all' }, limit: 1 });
      if (record !== undefined) await tx.resources.remove(record.key, record.version);
    });
    await world.answered('!say still');
    await world.deliver();
    expect(world.service.deliveries).toMatchObject([{ text: 'still', matchFields: { team: 't1', user: 'u1' } }]);
  });

  // CO-6, 37
  it('is nothing for silence and for stopped turns, and of a failed turn only the configured text', async () => {
    for (const text of ['!say [silent]', '!say NO_REPLY', '!say    ']) await world.answered(text);
    const { sessionId, turnId } = await world.say('!hold gate');
    await world.engine.store.write(async (tx) => {
      const session = await tx.log.lockSession(sessionId);
      if (session !== undefined) await world.engine.runtime.lifecycle.stop(tx, session, turnId);
    });
    await world.engine.ended(turnId);
    await world.answered('!say partial secret\n!error provider_stream');
    await world.deliver();
    expect(world.service.deliveries.map((body) => body['text'])).toEqual(['Something went wrong.']);
    expect(JSON.stringify(world.service.seen)).not.toContain('secret');
  });

  it('has the files of the last step, each with an address that is new at each attempt', async () => {
    world.service.answers.push({ status: 503 });
    await world.answered('!say see\n!file report.txt some text');
    await world.deliver();
    await world.later(5_000);
    const urls = world.service.deliveries.map((body) => {
      const [file] = body['attachments'] as { filename: string; metadata: Record<string, string> }[];
      expect(file?.filename).toBe('report.txt');
      return file?.metadata['download_url'];
    });
    expect(urls).toHaveLength(2);
    expect(new Set(urls).size).toBe(2);
    expect(urls[0]).toMatch(/^https:\/\/svc\.test\/v1\/objects\/default-object-0-/);
  });

  it('is what a session publishes in a channel that an event began, also where the channel shows a failure', async () => {
    const published = {
      namespace: 'default',
      channel: 'ops',
      channelUid: 'c1',
      triggerMessageId: 'x1',
      agent: 'helper',
      sessionId: 's1',
      attachments: [],
    };
    await world.engine.store.write(async (tx) => {
      await keepContext(tx, { namespace: 'default', subject: channelSubject('c1', 'x1') }, world.context());
      await world.turns.published(tx, { ...published, messageId: 'p1', content: 'first' });
      await world.turns.published(tx, {
        ...published,
        triggerMessageId: 'of a person',
        messageId: 'p2',
        content: 'no',
      });
    });
    world.service.answers.push({ body: { accepted: false, error: 'not in channel' } });
    await world.deliver();
    expect(world.service.deliveries).toMatchObject([
      { text: 'first', labels: { 'svc.replySource': 'channel', 'svc.channelMessage': 'p1' } },
    ]);
    expect(world.undelivered).toEqual(['helper DELIVERY_FAILED: not in channel']);
  });

  // CO-6, 38
  it('is the reply in the output of a run that an event began, and of no other run', async () => {
    const run = { namespace: 'default', workflow: 'triage', runId: 'r1' };
    const replies = await world.engine.store.write(async (tx) => {
      await keepContext(tx, { namespace: 'default', subject: runSubject('r1') }, world.context());
      const made = [];
      for (const reply of [
        { text: 'quiet', silent: true },
        '',
        { text: ' ', attachments: [{ key: 'k', sha256: 'foreign' }] },
        ['no reply'],
      ])
        made.push(await world.turns.replyOfRun(tx, { ...run, output: { reply } }));
      made.push(await world.turns.replyOfRun(tx, { ...run, runId: 'child', output: { reply: 'of the child' } }));
      made.push(await world.turns.replyOfRun(tx, { ...run, output: { reply: { text: 'of the run' } } }));
      return made;
    });
    const nothing = { isSent: false, problems: [] };
    expect(replies).toEqual([
      nothing,
      nothing,
      { isSent: false, problems: ['reply.attachments: k is not stored in this namespace'] },
      { isSent: false, problems: ['reply: is neither a text nor an object with text, silent and attachments'] },
      nothing,
      { isSent: true, problems: [] },
    ]);
    await world.deliver();
    expect(world.service.deliveries).toMatchObject([
      { text: 'of the run', labels: { 'svc.workflow': 'triage', 'svc.workflowRun': 'r1' } },
    ]);
  });
});
