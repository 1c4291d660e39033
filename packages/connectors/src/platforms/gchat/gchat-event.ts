import type { GoogleChatEvent } from '@chat-adapter/gchat';

type Chat = NonNullable<GoogleChatEvent['chat']>;
type Payload = NonNullable<Chat['messagePayload']>;
type User = NonNullable<Chat['user']>;

/** An event as Google Chat sends it to a Chat app that is not an add-on of Google Workspace. */
interface InteractionEvent {
  readonly type: string;
  readonly eventTime: string;
  readonly user: User;
  readonly space?: Payload['space'];
  readonly message?: Payload['message'];
  /** What a click calls. */
  readonly action?: {
    readonly parameters?: readonly { readonly key: string; readonly value: string }[];
  };
  readonly appCommandMetadata?: CommandMetadata;
}

interface CommandMetadata {
  /** Quick commands and actions on messages of others bring no text. */
  readonly appCommandType?: string;
}

/** An add-on gets commands apart from messages. */
interface CommandPayload extends Payload {
  readonly appCommandMetadata?: CommandMetadata;
}

/** An event in the form for add-ons, with a command as a message. */
export type AddOnEvent = GoogleChatEvent & { readonly isCommand?: boolean };

/** An event that arrived, and whether it came in the form for Chat apps: the answer has the same form. */
export interface ArrivedEvent {
  readonly event: AddOnEvent;
  readonly isForChatApp: boolean;
}

/** Reads the body of a webhook. Undefined for one that is not a JSON object. */
export function arrivedEvent(text: string): ArrivedEvent | undefined {
  const body = objectIn(text);
  if (body === undefined) return undefined;
  return 'type' in body && !('chat' in body)
    ? { event: fromChatApp(body as InteractionEvent), isForChatApp: true }
    : { event: withCommand(body), isForChatApp: false };
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // No other attempt would bring JSON.
    return undefined;
  }
}

function withCommand(event: GoogleChatEvent): AddOnEvent {
  const chat: (Chat & { readonly appCommandPayload?: CommandPayload }) | undefined = event.chat;
  const command = chat?.appCommandPayload;
  if (chat === undefined || command === undefined || !isSlash(command.appCommandMetadata)) return event;
  return { isCommand: true, chat: { ...chat, messagePayload: payloadOf(command, chat.eventTime) } };
}

function fromChatApp(given: InteractionEvent): AddOnEvent {
  const { type, eventTime, user, space, message, action, appCommandMetadata } = given;
  if (space === undefined || message === undefined) return {};
  const isCommand = isSlash(appCommandMetadata) || isSlashCommand(message);
  // A mention that adds the app to a space comes with that news.
  if (type === 'MESSAGE' || type === 'ADDED_TO_SPACE' || (type === 'APP_COMMAND' && isCommand))
    return { isCommand, chat: { user, eventTime, messagePayload: payloadOf({ space, message }, eventTime) } };
  if (type !== 'CARD_CLICKED') return {};
  const parameters = (action?.parameters ?? []).map(({ key, value }): [string, string] => [key, value]);
  return {
    chat: { user, eventTime, buttonClickedPayload: { space, message, user } },
    commonEventObject: { parameters: Object.fromEntries(parameters) },
  };
}

/** A message without a time of its own has that of its event. */
const payloadOf = ({ space, message }: Payload, eventTime = ''): Payload => ({
  space,
  message: { ...message, createTime: message.createTime ?? eventTime },
});

const isSlash = (metadata: CommandMetadata | undefined): boolean => metadata?.appCommandType === 'SLASH_COMMAND';

const isSlashCommand = (message: Payload['message']): boolean =>
  'slashCommand' in message || (message.annotations ?? []).some(({ type }) => type === 'SLASH_COMMAND');
