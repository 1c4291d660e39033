import { toJson } from '@bufbuild/protobuf';
import type { RouteVerdict } from '@svc/api/data';
import { ConnectorMessageEventStatus } from '@svc/api/external';
import { type ExplainMessageEventResponse, ExplainMessageEventResponseSchema } from '@svc/api/gateway';
import { verdictLine } from '../channels/index.ts';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { outputForm, printValue } from '../output.ts';
import { harmless } from '../terminal/index.ts';

export interface ExplainEventOptions extends GlobalOptions {
  /** Match fields as `name=value`; none means those of the Connector. */
  readonly match?: readonly string[];
  readonly conversation?: string;
  readonly thread?: string;
  /** Id of the sender on the platform. */
  readonly sender?: string;
  /** Such as user or bot. */
  readonly senderKind?: string;
}

/** `svc connector explain CONNECTOR [TEXT]`: what a message of the platform would do; nothing is taken. */
export const explainEvent = async (
  host: Host,
  words: readonly string[],
  options: ExplainEventOptions,
): Promise<void> => {
  const [connector = '', ...given] = words;
  const form = outputForm(options.output);
  const text = given.length > 0 ? given.join(' ') : host.stdin.isTerminal ? 'hello' : await host.stdin.readAll();
  const matchFields = Object.fromEntries((options.match ?? []).map(pairOf));
  const { client, target } = await openContext(host, options);
  const explained = await client.routing.explainMessageEvent({
    ns: target.namespace,
    connector,
    event: {
      text: text.trim(),
      matchFields,
      externalConversationId: options.conversation ?? '',
      ...(options.thread === undefined ? {} : { externalThreadId: options.thread }),
      sender: { externalId: options.sender ?? '', kind: options.senderKind ?? '' },
    },
  });
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(host, toJson(ExplainMessageEventResponseSchema, explained, { alwaysEmitImplicit: true }), form);
  host.stdout.write(
    linesOf(explained)
      .map((line) => `${harmless(line)}\n`)
      .join(''),
  );
};

const pairOf = (given: string): readonly [string, string] => {
  const at = given.indexOf('=');
  if (at < 1) throw new CommandFailure(`${given} is not a match field`, { hint: '--match team=T012' });
  return [given.slice(0, at), given.slice(at + 1)];
};

const linesOf = (explained: ExplainMessageEventResponse): readonly string[] => {
  const { status, reason, explanation, ns, connector, routes, subscriptions } = explained;
  const word = status === ConnectorMessageEventStatus.UNSPECIFIED ? 'failed' : ConnectorMessageEventStatus[status];
  return [
    `${word.toLowerCase()}: ${reason}${explanation === '' ? '' : `, ${explanation}`}`,
    ...(connector === '' ? [] : [`connector: ${ns}/${connector}`]),
    ...consumerLines(explained),
    ...subscriptions.map((verdict) => `  ${verdictLine(verdict)}`),
    ...(routes.length === 0 ? [] : ['routes:', ...routes.map((route) => `  ${routeLine(route)}`)]),
    ...(explained.routesTruncated ? ['  more routes of the class are not shown'] : []),
  ];
};

const consumerLines = ({ consumer, session, answersRequest }: ExplainMessageEventResponse): readonly string[] => {
  const { session: agent, channel, workflow } = consumer ?? {};
  if (agent !== undefined) {
    const name = `${agent.agent?.namespace ?? ''}/${agent.agent?.name ?? ''}`;
    const place = session === 'new' ? 'a new session' : `session ${agent.sessionId || 'that exists'}`;
    return [`agent: ${name}, ${answersRequest ? `answers what ${place} asks` : place}`];
  }
  if (channel !== undefined) return [`channel: ${channel.channel?.namespace ?? ''}/${channel.channel?.name ?? ''}`];
  return workflow === undefined ? [] : [`workflow: ${workflow.namespace}/${workflow.name}`];
};

const routeLine = ({ routeId, ns, connector, outcome, field, wanted, given }: RouteVerdict): string => {
  const why = field === '' ? '' : ` (${field}: wants ${wanted}, has ${given === '' ? 'none' : given})`;
  const holder = connector === '' ? '' : ` of ${ns}/${connector}`;
  return `${routeId}${holder}: ${outcome.replaceAll('_', ' ')}${why}`;
};
