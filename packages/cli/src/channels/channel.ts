import { toJson } from '@bufbuild/protobuf';
import { PostChannelMessageResponseSchema } from '@svc/api/gateway';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import { outputForm, printValue } from '../output.ts';
import type { World } from '../world.ts';

export interface ChannelOptions extends GlobalOptions {
  readonly author?: string;
  readonly subscription?: readonly string[];
  readonly limit?: string;
  /** False with --no-follow. */
  readonly follow?: boolean;
}

/** `svc channel post CHANNEL [TEXT]`: posts a message and reports whom it reached. */
export const postMessage = async (world: World, words: readonly string[], options: ChannelOptions): Promise<void> => {
  const [channel = '', ...given] = words;
  const form = outputForm(options.output);
  const text = given.length > 0 ? given.join(' ') : world.stdin.isTerminal ? '' : (await world.stdin.readAll()).trim();
  if (text === '')
    throw new CommandFailure('there is nothing to say', { hint: `svc channel post ${channel} "text", or pipe it in` });
  const { client, target, note } = await openContext(world, options);
  const posted = await client.gateway.postChannelMessage({
    ns: target.namespace,
    channel,
    content: text,
    author: options.author ?? '',
    subscriptionNames: [...(options.subscription ?? [])],
  });
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(world, toJson(PostChannelMessageResponseSchema, posted, { alwaysEmitImplicit: true }), form);
  world.stdout.write(`message ${posted.message?.id ?? ''}\n`);
  for (const { subscription, agent, sessionId, error } of posted.routedSessions)
    world.stdout.write(
      `  ${subscription}: ${error === '' ? `agent ${agent}, session ${sessionId}` : `not reached, ${error}`}\n`,
    );
  if (posted.routedSessions.length === 0) note('no subscription takes it: no one will answer');
};

/** `svc channel open CHANNEL` and `svc channel close CHANNEL`: changes only whether messages are accepted. */
export const setChannelPhase = async (
  world: World,
  given: { readonly channel: string; readonly phase: 'open' | 'closed' },
  options: GlobalOptions,
): Promise<void> => {
  const { channel: name, phase } = given;
  const { client, target } = await openContext(world, options);
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
  world.stdout.write(`channel/${name} ${isSame ? `is ${phase} already` : phase === 'open' ? 'opened' : 'closed'}\n`);
};
