import { toJson } from '@bufbuild/protobuf';
import { ExplainChannelMessageResponseSchema } from '@svc/api/gateway';
import { openContext } from '../context.ts';
import type { Host } from '../host.ts';
import { outputForm, printValue } from '../output.ts';
import { harmless } from '../terminal/index.ts';
import { type ChannelOptions, messageText } from './channel.ts';

/** `svc channel explain CHANNEL [TEXT]`: which agents a message would call, and why not the others; nothing is posted. */
export const explainMessage = async (host: Host, words: readonly string[], options: ChannelOptions): Promise<void> => {
  const [channel = '', ...given] = words;
  const form = outputForm(options.output);
  const content = await messageText(host, given, `svc channel explain ${channel}`);
  const { client, target, note } = await openContext(host, options);
  const explained = await client.routing.explainChannelMessage({
    ns: target.namespace,
    channel,
    content,
    author: options.author ?? '',
    authorKind: options.authorKind ?? '',
    subscriptionNames: [...(options.subscription ?? [])],
  });
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(host, toJson(ExplainChannelMessageResponseSchema, explained, { alwaysEmitImplicit: true }), form);
  for (const verdict of explained.subscriptions) host.stdout.write(`${verdictLine(verdict)}\n`);
  if (!explained.subscriptions.some(({ outcome }) => outcome === 'called')) note('no one would answer');
};

/** What one subscription makes of a message, as a line. */
export const verdictLine = (verdict: {
  readonly subscription: string;
  readonly agent: string;
  readonly outcome: string;
  readonly error: string;
}): string => {
  const { subscription, agent, outcome, error } = verdict;
  const name = subscription === '' ? 'the connector' : subscription;
  const why = error === '' ? outcome.replaceAll('_', ' ') : `${outcome.replaceAll('_', ' ')}, ${error}`;
  return harmless(`${name}: agent ${agent}, ${why}`);
};
