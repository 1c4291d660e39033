import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type MessageInitShape, toJsonString } from '@bufbuild/protobuf';
import { MessageConsumerSchema } from '@svc/api/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock, seededRandom, silentLog } from '../../../base/index.ts';
import { recordKey } from '../../../resources/index.ts';
import type { ConnectorRouteRow, Store, WriteTx } from '../../../store/contracts/index.ts';
import { openGivenStore, removeGivenStore } from '../../../store/testing/given-store.ts';
import type { TrailPlace } from '../../trail-source.ts';
import { connectorTrail } from './connector-trail.ts';
import { type ConnectorContext, channelSubject, keepContext, runSubject, sessionSubject } from './context/index.ts';

const id = (number: number): string => `01970000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const NAMESPACE = 'acme';
const session = 's1';

const context = (eventId: string, more: Partial<ConnectorContext> = {}): ConnectorContext => ({
  classUid: 'class-1',
  classNamespace: NAMESPACE,
  className: 'chat',
  registrationId: 'r1',
  connectorUid: 'uid-help',
  connectorNamespace: 'ops',
  connectorName: 'help',
  eventId,
  conversationId: 'C1',
  threadId: '',
  messageId: 'm1',
  conversationType: 'channel',
  sender: { kind: 'user', externalId: 'U1', name: 'Ann' },
  matchFields: {},
  replyMode: 'auto',
  eventLabels: {},
  ...more,
});

const resource = (kind: string, namespace: string, name: string) => ({
  key: recordKey(kind, namespace, name),
  uid: `uid-${name}`,
  generation: 1,
  createdAt: 1,
  labels: {},
  annotations: {},
  owners: [],
  finalizers: [],
  apiVersion: 'svc/v1',
  spec: '{}',
  status: '{}',
});

const consumer = (of: MessageInitShape<typeof MessageConsumerSchema>): string =>
  toJsonString(MessageConsumerSchema, create(MessageConsumerSchema, of));

const event = (tx: WriteTx, eventId: string, kept: { readonly runId?: string; readonly consumer?: string }) => {
  const facts = { namespace: NAMESPACE, connectorName: 'help', consumer: '', runId: '', ...kept };
  return tx.connectorEvents.put({ classUid: 'class-1', eventId, body: JSON.stringify(facts), expiresAt: 1_000 });
};

const delivery = (tx: WriteTx, number: number, facts: Readonly<Record<string, unknown>>) => {
  const { state = 'pending', subject = '', ...more } = facts;
  const body = { source: { kind: 'session' }, text: 'hello\nyou', attempts: 1, lastError: '', ...more };
  return tx.deliveries.put({
    id: id(number),
    namespace: NAMESPACE,
    connector: 'help',
    classUid: 'class-1',
    lane: 'lane',
    subject: String(subject),
    state: String(state),
    expiresAt: 1_000,
    body: JSON.stringify({ ...body, createdAt: 10, updatedAt: 20 }),
  });
};

describe('the trail of connectors', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-connector-trail-'));
  let store: Store;

  beforeAll(async () => {
    const fatal = (error: unknown): void => {
      throw error;
    };
    const parts = { clock: new ManualClock(), random: seededRandom(3), log: silentLog, fatal };
    store = await openGivenStore({ dataDir, ...parts });
    await store.write(async (tx) => {
      await tx.resources.insert(resource('Connector', 'ops', 'help'));
      await tx.resources.insert(resource('Connector', NAMESPACE, 'local'));
      await tx.resources.insert(resource('Connector', NAMESPACE, 'idle'));
      await tx.resources.insert(resource('Channel', NAMESPACE, 'news'));
      const route: ConnectorRouteRow = {
        classUid: 'class-1',
        routeId: 'r1',
        slot: 'a',
        connectorUid: 'uid-local',
        namespace: NAMESPACE,
        connector: 'local',
      };
      await tx.connectorRoutes.put(route);
      const kept = (subject: string, of: ConnectorContext) => keepContext(tx, { namespace: NAMESPACE, subject }, of);
      await kept(sessionSubject(session, 'message-1'), context('event-1'));
      await kept(sessionSubject(session, 'message-2'), context('event-2'));
      await kept(channelSubject('uid-news', 'message-3'), context('event-3'));
      const unnamed = { kind: 'user', externalId: 'U9', name: '' };
      await kept(runSubject('run-1'), context('event-4', { sender: unnamed }));
      await event(tx, 'event-1', { consumer: consumer({ session: { sessionId: session } }) });
      await event(tx, 'event-3', { consumer: consumer({ channel: { channel: { name: 'news' } } }) });
      await event(tx, 'event-4', { runId: 'run-1' });
      await event(tx, 'event-5', { consumer: consumer({ channel: { channel: { name: 'gone', namespace: 'ops' } } }) });
      await event(tx, 'event-6', { consumer: consumer({}) });
      await delivery(tx, 1, { subject: sessionSubject(session, 'message-1'), state: 'delivered', ...OF_SESSION });
    });
  });
  afterAll(async () => {
    await store.close();
    await removeGivenStore(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  });

  const OF_SESSION = { source: { kind: 'session', sessionId: session, messageId: 'message-1' } };
  const read = (place: TrailPlace) => store.read((tx) => connectorTrail.read(tx, place));
  const find = (wanted: string, namespace = NAMESPACE) =>
    store.read(async (tx) => connectorTrail.find?.(tx, { namespace, id: wanted }));
  const ofEvent = (name: string): TrailPlace => ({
    kind: 'connector_event',
    id: name,
    namespace: NAMESPACE,
    within: 'class-1',
  });

  it('finds deliveries and events of the namespace by their ids', async () => {
    expect(await find(id(1))).toEqual([{ kind: 'delivery', id: id(1), namespace: NAMESPACE }]);
    expect(await find('event-1')).toEqual([
      { kind: 'connector_event', id: 'event-1', namespace: NAMESPACE, within: 'class-1' },
    ]);
    expect([await find(id(9)), await find('event-9'), await find(id(1), 'ops')]).toEqual([[], [], []]);
  });

  it('shows the event that a message came from, and leads to its deliveries', async () => {
    const place: TrailPlace = { kind: 'session_message', id: 'message-1', namespace: NAMESPACE, within: session };
    expect(await read(place)).toMatchObject({
      entries: [
        {
          kind: 'connector_event',
          id: 'event-1',
          namespace: 'ops',
          name: 'help',
          state: 'accepted',
          text: 'from Ann in C1',
        },
      ],
      links: [
        { kind: 'connector_event', id: 'event-1', namespace: 'ops', within: 'class-1' },
        { kind: 'delivery', id: id(1), namespace: NAMESPACE },
      ],
      causes: { 'message-1': 'event-1', [id(1)]: 'message-1' },
    });
  });

  it('says who sent it by the id where the platform told no name', async () => {
    const reading = await read({ kind: 'workflow_run', id: 'run-1', namespace: NAMESPACE });
    expect(reading?.entries).toMatchObject([{ id: 'event-4', text: 'from U9 in C1' }]);
  });

  it('shows nothing of messages that no platform sent, nor of other records', async () => {
    const nothing = { entries: [], links: [], causes: {} };
    expect(await read({ kind: 'session_message', id: 'message-9', namespace: NAMESPACE })).toEqual(nothing);
    expect(await read({ kind: 'channel_message', id: 'message-9', namespace: NAMESPACE })).toEqual(nothing);
    expect(await read({ kind: 'turn', id: 't1', namespace: NAMESPACE })).toBeUndefined();
  });

  it('leads from an event to the message or run that it became', async () => {
    const links = async (name: string) => (await read(ofEvent(name)))?.links;
    expect(await links('event-1')).toEqual([
      { kind: 'session_message', id: 'message-1', namespace: NAMESPACE, within: session },
    ]);
    expect(await links('event-3')).toEqual([
      { kind: 'channel_message', id: 'message-3', namespace: NAMESPACE, within: 'uid-news' },
    ]);
    expect(await links('event-4')).toEqual([{ kind: 'workflow_run', id: 'run-1', namespace: NAMESPACE }]);
    expect([await links('event-5'), await links('event-6')]).toEqual([[], []]);
    expect(await read(ofEvent('event-9'))).toBeUndefined();
    expect(await read({ kind: 'connector_event', id: 'event-1', namespace: NAMESPACE })).toBeUndefined();
  });

  it('shows a delivery with its tries, its end once it has one, and where its words came from', async () => {
    const place = (number: number): TrailPlace => ({ kind: 'delivery', id: id(number), namespace: NAMESPACE });
    const source = { kind: 'session_message', id: 'message-1', namespace: NAMESPACE, within: session };
    const done = {
      kind: 'delivery',
      id: id(1),
      namespace: NAMESPACE,
      name: 'help',
      at: 10,
      endedAt: 20,
      state: 'delivered',
      reason: '',
      text: '1 try: hello you',
    };
    expect(await read(place(1))).toEqual({ entries: [done], links: [source], causes: { [id(1)]: 'message-1' } });
    const ofChannel = { kind: 'channel', channelUid: 'uid-news', channelMessageId: 'message-3' };
    await store.write(async (tx) => {
      await delivery(tx, 2, { attempts: 2, lastError: 'HTTP 500', source: ofChannel });
      await delivery(tx, 3, { source: { kind: 'workflow', runId: 'run-1' } });
      await delivery(tx, 4, { source: { kind: 'request', requestId: 'q1' }, state: 'dead' });
    });
    const second = await read(place(2));
    expect(second?.entries).toMatchObject([{ state: 'pending', reason: 'HTTP 500', text: '2 tries: hello you' }]);
    expect(second?.entries[0]).not.toHaveProperty('endedAt');
    expect(second?.links).toEqual([
      { kind: 'channel_message', id: 'message-3', namespace: NAMESPACE, within: 'uid-news' },
    ]);
    expect((await read(place(3)))?.links).toEqual([{ kind: 'workflow_run', id: 'run-1', namespace: NAMESPACE }]);
    expect(await read(place(4))).toMatchObject({ entries: [{ state: 'dead', endedAt: 20 }], links: [], causes: {} });
    expect(await read(place(9))).toBeUndefined();
  });
});
