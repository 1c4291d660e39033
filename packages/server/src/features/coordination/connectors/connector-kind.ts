import { create } from '@bufbuild/protobuf';
import type { ChannelMessageConsumer, MessageConsumer, SessionMessageConsumer } from '@svc/api/data';
import {
  type ConnectorClassSpec,
  type ConnectorSpec,
  type ConnectorStatus,
  ConnectorStatusSchema,
} from '@svc/api/resources';
import type { FieldViolation } from '../../../base/index.ts';
import {
  type CheckReads,
  followKinds,
  type KindContract,
  kindContract,
  type SpecWrite,
  type WriteOrigin,
} from '../../../controllers/contract.ts';
import {
  type Finding,
  isJsonMap,
  type JsonMap,
  judgedConditions,
  kindRow,
  messageFromText,
  notExecuted,
  parseJsonMap,
  recordKey,
  withReady,
} from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import {
  checkConnector,
  compileRoutes,
  consumerNamespaceFault,
  consumerNamespaces,
  fillConnectorDefaults,
  hasUnknownReplyMode,
} from './connector-rules.ts';

export interface ConnectorKindDeps {
  /** Ancestors by name, nearest first, without a read. */
  readonly ancestorsOf: (namespace: string) => readonly string[];
}

type Write = SpecWrite<ConnectorSpec>;

/** How connectors are written, and what can be said of them while nothing registers their classes. */
export const connectorContract = (deps: ConnectorKindDeps): KindContract =>
  kindContract<ConnectorSpec>({
    kind: 'Connector',
    defaults: fillConnectorDefaults,
    validate: (write, origin) => {
      const { key, spec } = write;
      const faults = checkConnector({ namespace: key.namespace, spec, ancestors: deps.ancestorsOf(key.namespace) });
      return write.isSpecChanged && origin !== undefined ? [...faults, ...consumerFaults(deps, write, origin)] : faults;
    },
    observe,
    dependsOn: followKinds('Connector', {
      ConnectorClass: {},
      Channel: {},
      Agent: { presenceOnly: true },
      Workflow: { presenceOnly: true },
    }),
  });

/** Messages may go to the own namespace, one below it, or one that the writer could post to himself. */
const consumerFaults = (deps: ConnectorKindDeps, write: Write, origin: WriteOrigin): readonly FieldViolation[] => {
  const own = write.key.namespace;
  const isOpen = (namespace: string): boolean => {
    const line = [namespace, ...deps.ancestorsOf(namespace)];
    if (line.includes(own)) return true;
    return (origin.caller.grants ?? []).some((grant) => {
      const isNarrow = [grant.agent, grant.session, grant.channel].some((scope) => scope !== undefined);
      return grant.role !== 'viewer' && !isNarrow && (grant.namespace === undefined || line.includes(grant.namespace));
    });
  };
  return consumerNamespaces(write.spec.consumer)
    .filter(({ namespace }) => !isOpen(namespace))
    .map(({ field }) => consumerNamespaceFault(field));
};

const observe = async (tx: CheckReads, write: Write): Promise<ConnectorStatus> => {
  const { current, generation, spec, key } = write;
  const previous =
    current === undefined
      ? undefined
      : (messageFromText(kindRow('Connector').status, current.status) as ConnectorStatus);
  const { name = '', namespace = '' } = spec.classRef ?? {};
  const record = await tx.resources.get(recordKey('ConnectorClass', namespace || key.namespace, name));
  const routes = record === undefined ? [] : compileRoutes(classSpec(record).matchIndexes, spec.matchFields);
  const indexed = judgeIndex(spec, record, routes);
  const isDisabled = spec.enabled === false;
  const others: readonly Finding[] = [
    await judgeConsumer(tx, write),
    { type: 'ProviderConnected', status: 'Unknown', reason: 'NoReport' },
  ];
  const phase = isDisabled ? 'disabled' : indexed.status === 'True' ? 'ready' : 'invalid';
  return create(ConnectorStatusSchema, {
    observedGeneration: BigInt(generation),
    phase,
    conditions: judgedConditions(
      previous?.conditions ?? [],
      { phase, findings: [...readyOf(indexed, { phase, others }), indexed, ...others] },
      { now: tx.now(), generation },
    ),
    compiledRouteIds: indexed.status === 'True' ? [...routes] : [],
  });
};

const CLASS_NOT_REGISTERED = 'ClassNotRegistered';

/** A class registers only once connectors run, so that alone leaves Ready open; anything else that is wrong makes it False. */
const readyOf = (
  indexed: Finding,
  { phase, others }: { readonly phase: string; readonly others: readonly Finding[] },
): readonly Finding[] => {
  const findings = indexed.reason === CLASS_NOT_REGISTERED ? others : [indexed, ...others];
  return withReady({ phase, findings, notExecuted: notExecuted('Connector') }).slice(0, 1);
};

const hasConsumer = ({ session, channel, workflow }: MessageConsumer): boolean =>
  [session, channel, workflow].some((member) => member !== undefined);

const classSpec = (record: StoredResource): ConnectorClassSpec =>
  messageFromText(kindRow('ConnectorClass').spec, record.spec) as ConnectorClassSpec;

const judgeIndex = (spec: ConnectorSpec, record: StoredResource | undefined, routes: readonly string[]): Finding => {
  const not = (reason: string, message: string): Finding => ({ type: 'Indexed', status: 'False', reason, message });
  if (spec.enabled === false) return not('Disabled', 'the connector is disabled');
  if (record === undefined) return not('ClassNotFound', 'there is no such connector class');
  if (spec.consumer === undefined || !hasConsumer(spec.consumer))
    return not('ConsumerMissing', 'nothing takes its messages');
  if (Object.keys(spec.matchFields).length === 0) return not('MatchFieldsEmpty', 'it matches no event');
  if (routes.length === 0) return not('NoIndexSatisfied', 'no index of the class has all its fields');
  if (conditionOf(record, 'CallbackAccepted') !== 'True')
    return not(CLASS_NOT_REGISTERED, 'its class is not registered');
  return { type: 'Indexed', status: 'True', reason: 'Indexed' };
};

const judgeConsumer = async (tx: CheckReads, write: Write): Promise<Finding> => {
  const { consumer } = write.spec;
  if (consumer === undefined || !hasConsumer(consumer))
    return { type: 'ConsumerResolved', status: 'Unknown', reason: 'ConsumerMissing' };
  const reason = await consumerProblem(tx, consumer, write.key.namespace);
  if (reason !== '') return { type: 'ConsumerResolved', status: 'False', reason };
  const known = hasUnknownReplyMode(consumer) ? 'UnknownReplyMode' : 'Resolved';
  return { type: 'ConsumerResolved', status: 'True', reason: known };
};

/** What keeps messages from their consumer, '' for nothing. */
const consumerProblem = async (tx: CheckReads, consumer: MessageConsumer, own: string): Promise<string> => {
  const { session, channel, workflow } = consumer;
  if (session !== undefined) return sessionProblem(tx, session, own);
  if (channel !== undefined) return channelProblem(tx, channel, own);
  const { namespace = '', name = '' } = workflow ?? {};
  return (await tx.resources.get(recordKey('Workflow', namespace || own, name))) === undefined
    ? 'WorkflowNotFound'
    : '';
};

const sessionProblem = async (tx: CheckReads, session: SessionMessageConsumer, own: string): Promise<string> => {
  const { namespace = '', name = '' } = session.agent ?? {};
  if ((await tx.resources.get(recordKey('Agent', namespace || own, name))) === undefined) return 'AgentNotFound';
  if (session.continuity !== 'pinned') return '';
  const pinned = await tx.log.session(session.sessionId);
  return pinned?.namespace === (namespace || own) && pinned.agent === name ? '' : 'SessionNotFound';
};

const channelProblem = async (tx: CheckReads, consumer: ChannelMessageConsumer, own: string): Promise<string> => {
  const { namespace = '', name = '' } = consumer.channel ?? {};
  const found = await tx.resources.get(recordKey('Channel', namespace || own, name));
  if (found === undefined) return 'ChannelNotFound';
  if (parseJsonMap(found.status)?.['phase'] === 'closed') return 'ChannelClosed';
  const agent = consumer.agent?.name ?? '';
  const isMissing = agent !== '' && (await tx.resources.get(recordKey('Agent', namespace || own, agent))) === undefined;
  return isMissing ? 'AgentNotFound' : '';
};

const conditionOf = (record: StoredResource, type: string): string | undefined => {
  const conditions = parseJsonMap(record.status)?.['conditions'];
  if (!Array.isArray(conditions)) return undefined;
  const found = conditions.find((item: JsonMap) => isJsonMap(item) && item['type'] === type) as JsonMap | undefined;
  return typeof found?.['status'] === 'string' ? found['status'] : undefined;
};
