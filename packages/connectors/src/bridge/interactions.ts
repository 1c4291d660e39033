import type { ChatInstance } from 'chat';
import type { InboundEvent } from '../kit/index.ts';
import { pressedButton } from './buttons.ts';
import { eventOf, type MessageSource, senderOf } from './inbound.ts';

type Press = Parameters<ChatInstance['processAction']>[0];
type Command = Parameters<ChatInstance['processSlashCommand']>[0];

/** The event of a press: the number of the option, as an answer to the question of its delivery. Undefined for buttons of others. */
export function pressOf(source: MessageSource, press: Press): InboundEvent | undefined {
  const button = pressedButton(press.actionId);
  if (button === undefined) return undefined;
  return {
    ...interactionOf(source, { ...press, kind: 'press' }),
    text: button.number,
    labels: { 'svc.delivery': button.deliveryId },
  };
}

/** The event of a command: a message to the bot, with the text of the command. */
export function commandOf(source: MessageSource, command: Command): InboundEvent {
  const { adapter, connector } = source;
  const event =
    connector.commandsAreMessages === true
      ? eventOf(source, adapter.parseMessage(command.raw), 'created')
      : {
          ...interactionOf(source, { ...command, kind: 'command', messageId: '' }),
          text: `${command.command} ${command.text}`.trim(),
        };
  return { ...event, labels: { mention: 'true' } };
}

interface Happened extends Pick<Press, 'raw' | 'user' | 'messageId'> {
  readonly kind: 'press' | 'command';
}

/** What presses and commands have in common: neither is a message that could be answered in a thread of its own. */
function interactionOf({ adapter, connector, threadId }: MessageSource, { kind, raw, user, messageId }: Happened) {
  const interaction = connector.interaction?.(raw);
  if (interaction === undefined) throw new Error(`${adapter.name} gives no id for a ${kind}`);
  const location = connector.locate(adapter, { threadId, messageId, raw: interaction.raw });
  return {
    ...location,
    eventId: `${adapter.name}:${location.conversation}:${kind}:${interaction.id}`,
    kind: 'created' as const,
    messageId: '',
    sender: senderOf(user),
    attachments: [],
    timeMs: 0,
  };
}
