import { create } from '@bufbuild/protobuf';
import { MessageConsumerSchema, type SessionMessageConsumer, SessionMessageConsumerSchema } from '@svc/api/data';
import { ResourceRefSchema } from '@svc/api/resources';
import { notFound } from '../../../../base/index.ts';
import {
  type Admission,
  mediaPartType,
  type ObjectAccess,
  type ObjectData,
  PART,
  type Part,
  type SessionLifecycle,
} from '../../../../runtime/contract.ts';
import { sessionHolder, type WriteTx } from '../../../../store/contracts/index.ts';
import { conversationOf, keepContext, SOURCE, sessionSubject, writtenAt } from '../context/index.ts';
import type { Consumed, RoutedEvent } from './consumer.ts';
import { sessionOfConversation, type TakenSession } from './pointers.ts';

export interface SessionConsumerDeps {
  readonly admission: Admission;
  readonly lifecycle: Pick<SessionLifecycle, 'create'>;
  readonly objects: Pick<ObjectAccess, 'hold'>;
  /** The object as its bytes are named in a namespace. */
  readonly objectIn: (namespace: string, object: ObjectData) => ObjectData;
}

/** One transaction and what its steps use. */
interface Scope {
  readonly deps: SessionConsumerDeps;
  readonly tx: WriteTx;
}

/** A message becomes a turn of the agent, in the session that its conversation continues in. */
export const toSession = async (
  { deps, tx }: Scope,
  routed: RoutedEvent,
  consumer: SessionMessageConsumer,
): Promise<Consumed> => {
  const { event, context, labels, identity } = routed;
  const namespace = consumer.agent?.namespace || routed.connector.key.namespace;
  const agent = consumer.agent?.name ?? '';
  const { sessionId, session: taken } = await sessionFor({ deps, tx }, routed, { consumer, namespace, agent });
  const objects = routed.attachments.map((object) => deps.objectIn(namespace, object));
  for (const object of objects) await deps.objects.hold(tx, namespace, object, sessionHolder(sessionId));
  const createdAt = writtenAt(event, tx.now());
  const { messageId } = await deps.admission.admit(tx, {
    namespace,
    agent,
    sessionId,
    parts: partsOf(event.text, objects, createdAt),
    labels,
    whenBusy: 'QUEUE',
    writtenAt: createdAt,
    cause: { kind: SOURCE, identity, labels, lineage: [] },
  });
  await keepContext(tx, { namespace, subject: sessionSubject(sessionId, messageId) }, context);
  const session = create(SessionMessageConsumerSchema, {
    ...consumer,
    agent: create(ResourceRefSchema, { ...consumer.agent, name: agent, namespace }),
    sessionId,
  });
  return { consumer: create(MessageConsumerSchema, { session }), runId: '', session: taken };
};

interface WantedSession {
  readonly consumer: SessionMessageConsumer;
  readonly namespace: string;
  readonly agent: string;
}

const sessionFor = async ({ deps, tx }: Scope, routed: RoutedEvent, wanted: WantedSession): Promise<TakenSession> => {
  const { consumer, namespace, agent } = wanted;
  const make = () => deps.lifecycle.create(tx, { namespace, agent, labels: routed.labels, identity: routed.identity });
  if (consumer.continuity === 'pinned') {
    const session = await tx.log.session(consumer.sessionId);
    if (session?.namespace === namespace && session.agent === agent)
      return { sessionId: session.id, session: 'existing' };
    throw notFound('Session', { ns: namespace, agent, session_id: consumer.sessionId });
  }
  if (consumer.continuity !== 'reuse') return { sessionId: (await make()).id, session: 'new' };
  const { context, event } = routed;
  return sessionOfConversation(
    tx,
    { classUid: context.classUid, connectorUid: context.connectorUid, namespace, agent, parts: conversationOf(event) },
    make,
  );
};

const partsOf = (text: string, objects: readonly ObjectData[], createdAt: number): readonly Part[] => [
  ...(text.trim() === '' ? [] : [{ id: '', type: PART.TEXT, content: text.trim(), createdAt }]),
  ...objects.map((object) => ({
    id: '',
    type: mediaPartType(object.mediaType),
    name: object.filename,
    object,
    createdAt,
  })),
];
