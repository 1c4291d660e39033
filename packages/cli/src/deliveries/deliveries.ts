import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type PlainContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapOf, msOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';
import { outputForm, printList, printValue } from '../output.ts';
import { age, harmless, localTime, renderTable, shortLine } from '../terminal/index.ts';

export interface DeliveryOptions extends GlobalOptions {
  readonly connector?: string;
  readonly state?: string;
}

/** What a person decides about a delivery. */
type Decision = 'RetryDelivery' | 'ReleaseDelivery' | 'SkipDelivery';

const STATES = ['held', 'pending', 'delivered', 'rejected', 'dead', 'skipped'];
/** Deliveries that one command shows at most. */
const SHOWN = 500;
const TEXT_SHOWN = 60;
const PREFIX = 'delivery/';

const deliveriesOf = (
  { call, target }: Pick<PlainContext, 'call' | 'target'>,
  { connector = '', state = '' }: Pick<DeliveryOptions, 'connector' | 'state'>,
  limit: number,
): Promise<readonly JsonObject[]> =>
  listItems({ call, limit }, 'DeliveryService/ListDeliveries', {
    ns: target.namespace,
    connector,
    state,
    member: 'deliveries',
  });

/** `svc delivery list`: what goes to messaging platforms, newest first. */
export const listDeliveries = async (host: Host, options: DeliveryOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { state = '' } = options;
  if (state !== '' && !STATES.includes(state))
    throw new CommandFailure(`${state} is not a state of deliveries`, { hint: STATES.join(', ') });
  const context = await openPlain(host, options);
  const { note, target } = context;
  const found = await listUpTo(context, context.limit ?? SHOWN, (limit) => deliveriesOf(context, options, limit));
  if (form.form === 'name')
    return host.stdout.write(found.map((delivery) => `${PREFIX}${textOf(delivery['id'])}\n`).join(''));
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: found }, form);
  if (found.length === 0) return note(`no deliveries in namespace ${target.namespace}`);
  const isWide = form.form === 'wide';
  const headings = [
    'DELIVERY',
    'CONNECTOR',
    'STATE',
    'ATTEMPTS',
    'AGE',
    'TEXT',
    ...(isWide ? ['ERROR', 'SESSION'] : []),
  ];
  const rows = found.map((delivery) => rowOf(host, mapOf(delivery), isWide));
  host.stdout.write(renderTable(headings, rows, host.stdout.isTerminal ? host.stdout.columns : undefined));
};

const rowOf = (host: Host, delivery: JsonObject, isWide: boolean): readonly string[] => [
  textOf(delivery['id']),
  harmless(textOf(delivery['connector'])),
  textOf(delivery['state']),
  String(delivery['attempts'] ?? 0),
  age(msOf(delivery['createdAt']), host.nowMs()),
  shortLine(textOf(delivery['text']), TEXT_SHOWN),
  ...(isWide ? [harmless(textOf(delivery['lastError'])), textOf(delivery['sessionId'])] : []),
];

/** The delivery with this id, or the only one whose id begins with it. */
const findDelivery = async (context: PlainContext, name: string): Promise<JsonObject> => {
  const id = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
  if (id === '') throw new CommandFailure('the id of the delivery is empty', { hint: 'svc delivery list' });
  const all = await deliveriesOf(context, {}, Number.POSITIVE_INFINITY);
  const found = all.filter((delivery) => textOf(delivery['id']).startsWith(id));
  const [delivery] = found;
  if (delivery !== undefined && found.length === 1) return delivery;
  throw new CommandFailure(
    found.length === 0 ? `no delivery ${id}` : `${id} fits ${found.length} deliveries; write more of it`,
    { exitCode: exitCodes.notFound, hint: 'svc delivery list; -n names another namespace' },
  );
};

const SHOWN_FIELDS: readonly (readonly [string, string])[] = [
  ['id', 'Delivery'],
  ['connector', 'Connector'],
  ['connectorClass', 'Class'],
  ['state', 'State'],
  ['attempts', 'Attempts'],
  ['lastError', 'Error'],
  ['agent', 'Agent'],
  ['sessionId', 'Session'],
  ['messageId', 'Message'],
  ['channelMessageId', 'Channel message'],
  ['runId', 'Run'],
];

/** `svc delivery show DELIVERY`: one delivery with its text. */
export const showDelivery = async (host: Host, id: string, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const delivery = await findDelivery(await openPlain(host, options), id);
  if (form.form !== 'table' && form.form !== 'wide') return printValue(host, delivery, form);
  const lines = SHOWN_FIELDS.flatMap(([field, label]) => {
    const value = harmless(String(delivery[field] ?? ''));
    return value === '' ? [] : [`${label}: ${value}`];
  });
  const next = msOf(delivery['nextAttemptAt']);
  const times = [
    `Created: ${localTime(msOf(delivery['createdAt']))}`,
    ...(next > 0 ? [`Next: ${localTime(next)}`] : []),
  ];
  host.stdout.write(`${[...lines, ...times, '', harmless(textOf(delivery['text']))].join('\n')}\n`);
};

/** `svc delivery retry|release|skip DELIVERY`. */
export const decideDelivery = async (
  host: Host,
  { id, decision }: { readonly id: string; readonly decision: Decision },
  options: GlobalOptions,
): Promise<void> => {
  const context = await openPlain(host, options);
  const found = await findDelivery(context, id);
  const { delivery } = await context.call(`DeliveryService/${decision}`, {
    ns: context.target.namespace,
    deliveryId: textOf(found['id']),
  });
  host.stdout.write(`${PREFIX}${textOf(found['id'])} ${textOf(mapOf(delivery)['state'])}\n`);
};
