import { toJson } from '@bufbuild/protobuf';
import { PostChannelMessageResponseSchema } from '@svc/api/gateway';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { outputForm, printValue } from '../output.ts';

export interface ChannelOptions extends GlobalOptions {
  readonly author?: string;
  readonly authorKind?: string;
  readonly subscription?: readonly string[];
  readonly limit?: string;
  /** False with --no-follow. */
  readonly follow?: boolean;
}

/** The text of a message: the words, or what comes from a pipe. */
export const messageText = async (host: Host, words: readonly string[], command: string): Promise<string> => {
  const text = words.length > 0 ? words.join(' ') : host.stdin.isTerminal ? '' : (await host.stdin.readAll()).trim();
  if (text === '') throw new CommandFailure('there is nothing to say', { hint: `${command} "text", or pipe it in` });
  return text;
};

/** `svc channel post CHANNEL [TEXT]`: posts a message and reports whom it reached. */
export const postMessage = async (host: Host, words: readonly string[], options: ChannelOptions): Promise<void> => {
  const [channel = '', ...given] = words;
  const form = outputForm(options.output);
  const text = await messageText(host, given, `svc channel post ${channel}`);
  const { client, target, note } = await openContext(host, options);
  const posted = await client.gateway.postChannelMessage({
    ns: target.namespace,
    channel,
    content: text,
    author: options.author ?? '',
    subscriptionNames: [...(options.subscription ?? [])],
  });
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(host, toJson(PostChannelMessageResponseSchema, posted, { alwaysEmitImplicit: true }), form);
  host.stdout.write(`message ${posted.message?.id ?? ''}\n`);
  for (const { subscription, agent, sessionId, error } of posted.routedSessions)
    host.stdout.write(
      `  ${subscription}: ${error === '' ? `agent ${agent}, session ${sessionId}` : `not reached, ${error}`}\n`,
    );
  if (posted.routedSessions.length === 0) note('no subscription takes it: no one will answer');
};

/** `svc channel open CHANNEL` and `svc channel close CHANNEL`: changes only whether messages are accepted. */
export const setChannelPhase = async (
  host: Host,
  given: { readonly channel: string; readonly phase: 'open' | 'closed' },
  options: GlobalOptions,
): Promise<void> => {
  const { channel: name, phase } = given;
  const { client, target } = await openContext(host, options);
  const ns = target.namespace;
  const { channel } = await client.gateway.getChannel({ ns, name });
  const isSame = channel?.status?.phase === phase;
  if (!isSame && channel !== undefined)
    await client.gateway.modifyChannel({
      ns,
      name,
      channel: {
        ...(channel.metadata === undefined ? {} : { metadata: channel.metadata }),
        ...(channel.spec === undefined ? {} : { spec: channel.spec }),
        status: { phase },
      },
    });
  host.stdout.write(`channel/${name} ${isSame ? `is ${phase} already` : phase === 'open' ? 'opened' : 'closed'}\n`);
};
