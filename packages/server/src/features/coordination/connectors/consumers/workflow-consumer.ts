import { create, toJson } from '@bufbuild/protobuf';
import {
  MessageConsumerSchema,
  ObjectRefSchema,
  PrincipalSchema,
  type WorkflowMessageConsumer,
  WorkflowMessageConsumerSchema,
} from '@svc/api/data';
import { ConnectorMessageEventKind } from '@svc/api/external';
import { isFault } from '../../../../base/index.ts';
import { recordKey, resourceNotFound } from '../../../../resources/index.ts';
import type { ObjectAccess, ObjectData } from '../../../../runtime/contract.ts';
import { runHolder, type WriteTx } from '../../../../store/contracts/index.ts';
import { keepContext, runSubject } from '../context/index.ts';
import { type Consumed, Refused, type RoutedEvent } from './consumer.ts';

/** Starts runs of workflows, in the caller's transaction. */
export interface WorkflowStarts {
  /** Throws WORKFLOW_NOT_FOUND, and INVALID_ARGUMENT for an input that the workflow's schema refuses. */
  startRun(
    tx: WriteTx,
    start: {
      readonly namespace: string;
      readonly workflow: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly labels: Readonly<Record<string, string>>;
      readonly identity: string;
    },
  ): Promise<{ readonly runId: string }>;
}

export interface WorkflowConsumerDeps {
  readonly workflows: WorkflowStarts;
  readonly objects: Pick<ObjectAccess, 'hold'>;
  /** The object as its bytes are named in a namespace. */
  readonly objectIn: (namespace: string, object: ObjectData) => ObjectData;
}

/** A message starts one run of a workflow, whose input it is. */
export const toWorkflow = async (
  { deps, tx }: { readonly deps: WorkflowConsumerDeps; readonly tx: WriteTx },
  routed: RoutedEvent,
  consumer: WorkflowMessageConsumer,
): Promise<Consumed> => {
  const namespace = consumer.namespace || routed.connector.key.namespace;
  const { name: workflow } = consumer;
  const key = recordKey('Workflow', namespace, workflow);
  if ((await tx.resources.get(key)) === undefined) throw resourceNotFound(key);
  const { labels, identity, context } = routed;
  const attachments = routed.attachments.map((object) => deps.objectIn(namespace, object));
  const input = runInput({ ...routed, attachments });
  const runId = await started(() => deps.workflows.startRun(tx, { namespace, workflow, input, labels, identity }));
  for (const object of attachments) await deps.objects.hold(tx, namespace, object, runHolder(runId));
  await keepContext(tx, { namespace, subject: runSubject(runId) }, context);
  const settled = create(WorkflowMessageConsumerSchema, { ...consumer, namespace });
  return { consumer: create(MessageConsumerSchema, { workflow: settled }), runId };
};

const started = async (start: () => Promise<{ readonly runId: string }>): Promise<string> => {
  try {
    return (await start()).runId;
  } catch (error) {
    if (isFault(error) && error.code === 'INVALID_ARGUMENT') throw new Refused('input_schema');
    throw error;
  }
};

/** What a workflow is given of a message. */
const runInput = ({ event, context, attachments }: RoutedEvent): Readonly<Record<string, unknown>> => ({
  connector: {
    namespace: context.connectorNamespace,
    name: context.connectorName,
    class: context.className,
    registrationId: context.registrationId,
    matchFields: event.matchFields,
  },
  message: {
    text: event.text,
    attachments: attachments.map((object) =>
      toJson(ObjectRefSchema, create(ObjectRefSchema, { ...object, sizeBytes: BigInt(object.sizeBytes) })),
    ),
    sender: event.sender === undefined ? null : toJson(PrincipalSchema, event.sender),
    externalConversationId: event.externalConversationId,
    externalThreadId: event.externalThreadId ?? null,
    externalMessageId: event.externalMessageId,
    conversationType: event.conversationType,
    eventTimeMs: Number(event.eventTimeMs),
  },
  event: {
    id: event.eventId,
    kind: ConnectorMessageEventKind[event.eventKind || ConnectorMessageEventKind.CREATED],
    labels: event.labels,
  },
});
