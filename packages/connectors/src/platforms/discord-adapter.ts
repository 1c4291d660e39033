import type * as Discord from '@chat-adapter/discord';
import { handOver } from '../bridge/index.ts';

type Options = Parameters<Discord.DiscordAdapter['handleWebhook']>[1];

/** The parts of an interaction of the gateway that are used here. */
interface GatewayInteraction {
  isChatInputCommand(): boolean;
  isMessageComponent(): boolean;
  deferUpdate(): Promise<unknown>;
  reply(message: { readonly content: string; readonly allowedMentions: { readonly parse: [] } }): Promise<unknown>;
}

type Command = Discord.DiscordInteractionFlagsContext;

/** Discord shows "thinking" for 15 minutes: an answer to this very command is awaited. */
const DEFERRED = 5;
/** A message that answers the command at once. */
const MESSAGE = 4;
const CONTENT_LENGTH = 2_000;

/**
 * The adapter of the Chat SDK, where it would acknowledge what svc has not taken. A command is answered with its own text: the reply of svc is a
 * message of its own, like every other.
 */
export const durableDiscord = (Adapter: typeof Discord.DiscordAdapter): typeof Discord.DiscordAdapter =>
  class extends Adapter {
    override async handleWebhook(request: Request, options?: Options): Promise<Response> {
      const copy = request.clone();
      const answer = await super.handleWebhook(request, options);
      if (!answer.ok || (await typeIn(answer)) !== DEFERRED) return answer;
      const content = textOf(this.getApplicationCommandContext((await copy.json()) as Command['interaction']));
      return Response.json({ type: MESSAGE, data: { content, allowed_mentions: { parse: [] } } });
    }

    /** What is not taken stays unacknowledged: Discord then tells the person that it failed. */
    // The type of the parameter belongs to a package of the adapter; `never` lets it be handed back to the adapter.
    protected override async handleGatewayInteraction(interaction: never): Promise<void> {
      const given: GatewayInteraction = interaction;
      if (given.isMessageComponent()) {
        const press = this.normalizeGatewayComponentInteraction(interaction);
        await handOver(() => this.handleComponentInteraction(press));
        await given.deferUpdate();
      } else if (given.isChatInputCommand()) {
        const command = this.getApplicationCommandContext(this.normalizeGatewaySlashCommandInteraction(interaction));
        await handOver(() => this.handleApplicationCommandInteraction(command));
        await given.reply({ content: textOf(command), allowedMentions: { parse: [] } });
      }
    }
  };

const typeIn = async (answer: Response): Promise<unknown> => {
  if (answer.headers.get('content-type')?.includes('json') !== true) return undefined;
  const body: unknown = await answer.clone().json();
  return typeof body === 'object' && body !== null && 'type' in body ? body.type : undefined;
};

/** Only a command without a name or a user has no context; svc gets no message for it. */
const textOf = (command: Command | null): string =>
  `${command?.command ?? '/'} ${command?.text ?? ''}`.trim().slice(0, CONTENT_LENGTH).toWellFormed();
