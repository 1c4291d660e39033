import { create } from '@bufbuild/protobuf';
import type { MessageConsumer } from '@svc/api/data';
import { type ConnectorMatchIndex, type ConnectorSpec, ConnectorSpecSchema } from '@svc/api/resources';
import { type FieldViolation, isLongerThan, violation } from '../../../base/index.ts';

const MATCH_FIELDS_MAX = 32;
const KEY_MAX = 63;
const VALUE_MAX = 512;
const REPLY_MODES: ReadonlySet<string> = new Set(['', 'auto', 'thread', 'hold_for_review', 'review', 'none']);
const PINNED = 'pinned';

/** An absent `enabled` is true, and read back as true. */
export const fillConnectorDefaults = (spec: ConnectorSpec): ConnectorSpec =>
  spec.enabled === undefined ? create(ConnectorSpecSchema, { ...spec, enabled: true }) : spec;

export interface ConnectorSubject {
  readonly namespace: string;
  readonly spec: ConnectorSpec;
  /** Ancestors of the connector's namespace. */
  readonly ancestors: readonly string[];
}

/** All faults of a connector's fields; which foreign namespaces its writer may use is asked elsewhere. */
export const checkConnector = (subject: ConnectorSubject): readonly FieldViolation[] => {
  const { spec, namespace, ancestors } = subject;
  const { name = '', namespace: classNamespace = '' } = spec.classRef ?? {};
  return [
    ...(name === '' ? [violation('spec.classRef.name', 'is required', 'CLASS_REF')] : []),
    ...(['', namespace, ...ancestors].includes(classNamespace)
      ? []
      : [violation('spec.classRef.namespace', 'must be this namespace or an ancestor', 'CLASS_NAMESPACE')]),
    ...checkMatchFields(spec.matchFields),
    ...(spec.consumer === undefined ? [] : checkConsumer(spec.consumer, namespace)),
  ];
};

const checkMatchFields = (fields: Readonly<Record<string, string>>): readonly FieldViolation[] => {
  const entries = Object.entries(fields);
  return [
    ...(entries.length > MATCH_FIELDS_MAX
      ? [violation('spec.matchFields', `more than ${MATCH_FIELDS_MAX} fields`)]
      : []),
    ...entries
      .filter(([key, value]) => isLongerThan(key, KEY_MAX) || isLongerThan(value, VALUE_MAX))
      .map(([key]) =>
        violation(
          `spec.matchFields[${key.slice(0, KEY_MAX)}]`,
          `keys have at most ${KEY_MAX} characters, values ${VALUE_MAX}`,
        ),
      ),
  ];
};

const checkConsumer = (consumer: MessageConsumer, own: string): readonly FieldViolation[] => {
  const { session, channel, workflow } = consumer;
  const members = [session, channel, workflow].filter((member) => member !== undefined);
  const at = 'spec.consumer';
  return [
    ...(members.length > 1 ? [violation(at, 'must have one member at most', 'CONSUMER_MULTIPLE')] : []),
    ...(session !== undefined && (session.agent?.name ?? '') === ''
      ? [violation(`${at}.session.agent.name`, 'is required')]
      : []),
    ...(session?.continuity === PINNED && session.sessionId === ''
      ? [violation(`${at}.session.sessionId`, 'is required by the continuity pinned', 'SESSION_ID_REQUIRED')]
      : []),
    ...(channel !== undefined && (channel.channel?.name ?? '') === ''
      ? [violation(`${at}.channel.channel.name`, 'is required')]
      : []),
    ...(channel?.agent !== undefined && (channel.agent.namespace || own) !== (channel.channel?.namespace || own)
      ? [violation(`${at}.channel.agent.namespace`, 'must be the namespace of the channel', 'CONSUMER_NAMESPACE')]
      : []),
    ...(workflow !== undefined && workflow.name === '' ? [violation(`${at}.workflow.name`, 'is required')] : []),
  ];
};

/** What a consumer names in addition to its own namespace, with the field that names it. */
export const consumerNamespaces = (
  consumer: MessageConsumer | undefined,
): readonly { readonly field: string; readonly namespace: string }[] =>
  [
    { field: 'spec.consumer.session.agent.namespace', namespace: consumer?.session?.agent?.namespace ?? '' },
    { field: 'spec.consumer.channel.channel.namespace', namespace: consumer?.channel?.channel?.namespace ?? '' },
    { field: 'spec.consumer.channel.agent.namespace', namespace: consumer?.channel?.agent?.namespace ?? '' },
    { field: 'spec.consumer.workflow.namespace', namespace: consumer?.workflow?.namespace ?? '' },
  ].filter((entry) => entry.namespace !== '');

/** A foreign namespace that the writer may not send messages to. */
export const consumerNamespaceFault = (field: string): FieldViolation =>
  violation(field, 'must be this namespace, one below it, or one you may operate', 'CONSUMER_NAMESPACE');

/** True for a consumer that names someone. */
export const hasConsumer = ({ session, channel, workflow }: MessageConsumer): boolean =>
  [session, channel, workflow].some((member) => member !== undefined);

/** True for a reply mode that is stored but acts as `auto`. */
export const hasUnknownReplyMode = (consumer: MessageConsumer | undefined): boolean => {
  const { session, channel, workflow } = consumer ?? {};
  return [session?.replyMode, channel?.replyPolicy, workflow?.replyMode].some(
    (mode) => mode !== undefined && !REPLY_MODES.has(mode),
  );
};

/** Ids of the routes a connector wants, in declared order of the indexes; [] when no index is satisfied. */
export const compileRoutes = (
  indexes: readonly ConnectorMatchIndex[],
  fields: Readonly<Record<string, string>>,
): readonly string[] => {
  const satisfied = satisfiedIndexes(indexes, fields);
  return satisfied
    .filter(({ index }) => !satisfied.some((other) => isStrictSubset(index, other.index)))
    .map(({ routeId }) => routeId);
};

/** A match field in which an event does not fit a route; `given` is blank where the event lacks it. */
export interface FieldMismatch {
  readonly field: string;
  readonly wanted: string;
  readonly given: string;
}

const valueIn = (values: ReadonlyMap<string, string>, field: string): string => values.get(field) ?? '';

/** The first field of a route of a connector in which an event differs; undefined for an event that fits it. */
export const routeMismatch = (
  indexes: readonly ConnectorMatchIndex[],
  routeId: string,
  fields: { readonly wanted: Readonly<Record<string, string>>; readonly given: Readonly<Record<string, string>> },
): FieldMismatch | undefined => {
  const [wanted, given] = [new Map(Object.entries(fields.wanted)), new Map(Object.entries(fields.given))];
  const route = satisfiedIndexes(indexes, fields.wanted).find((satisfied) => satisfied.routeId === routeId);
  return route?.index.fields
    .map((field) => ({ field, wanted: valueIn(wanted, field), given: valueIn(given, field) }))
    .find(({ field, ...values }) => pairOf(field, values.wanted)[0] !== pairOf(field, values.given)[0]);
};

/**
 * Ids of the routes that an event may take, the first one first: in declared order of the indexes, but an index comes after those that
 * ask for all of its fields and more.
 */
export const eventRoutes = (
  indexes: readonly ConnectorMatchIndex[],
  fields: Readonly<Record<string, string>>,
): readonly string[] => {
  const rest = [...satisfiedIndexes(indexes, fields)];
  const routes: string[] = [];
  while (rest.length > 0) {
    const next = rest.findIndex(({ index }) => !rest.some((other) => isStrictSubset(index, other.index)));
    routes.push(...rest.splice(next, 1).map(({ routeId }) => routeId));
  }
  return routes;
};

const satisfiedIndexes = (
  indexes: readonly ConnectorMatchIndex[],
  fields: Readonly<Record<string, string>>,
): readonly { readonly index: ConnectorMatchIndex; readonly routeId: string }[] => {
  const values = new Map(Object.entries(fields));
  return indexes
    .map((index) => ({ index, pairs: index.fields.flatMap((field) => pairOf(field, values.get(field) ?? '')) }))
    .filter(({ index, pairs }) => pairs.length === index.fields.length)
    .map(({ index, pairs }) => ({ index, routeId: `${encoded(index.name)}?${pairs.join('&')}` }));
};

const pairOf = (field: string, value: string): readonly string[] =>
  value.trim() === '' ? [] : [`${encoded(field)}=${encoded(value)}`];

const isStrictSubset = (index: ConnectorMatchIndex, other: ConnectorMatchIndex): boolean =>
  index.fields.length < other.fields.length && index.fields.every((field) => other.fields.includes(field));

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
