import type * as GoogleChat from '@chat-adapter/gchat';
import { eventsTaken } from '../../bridge/index.ts';
import { answeredCards } from './gchat-card.ts';
import { type AddOnEvent, arrivedEvent } from './gchat-event.ts';

type Options = Parameters<GoogleChat.GoogleChatAdapter['handleWebhook']>[1];

/** The adapter of the Chat SDK, which reads the events of add-ons only, and no commands. */
export const answeringGoogleChat = (
  Adapter: typeof GoogleChat.GoogleChatAdapter,
): typeof GoogleChat.GoogleChatAdapter =>
  class extends Adapter {
    override async handleWebhook(request: Request, options?: Options): Promise<Response> {
      const { url, method, headers } = request;
      const arrived = arrivedEvent(await request.text());
      if (arrived === undefined) return new Response('the body is not an event\n', { status: 400 });
      const { event, isForChatApp } = arrived;
      const answer = await super.handleWebhook(
        new Request(url, { method, headers, body: JSON.stringify(event) }),
        options,
      );
      // A press that svc leaves alone, such as that of someone who may not answer, leaves the buttons to others.
      if (event.chat?.buttonClickedPayload === undefined || !(await eventsTaken())) return answer;
      const cardsV2 = answeredCards(event);
      return cardsV2 === undefined ? answer : updateOf(cardsV2, isForChatApp);
    }

    /** The connector has checked the token before; a public address alone would make the adapter check it again, by other keys. */
    protected override async verifyBearerToken(): Promise<boolean> {
      return true;
    }

    /** A command is for the app, also where its text does not name it. */
    protected override parseGoogleChatMessage(event: AddOnEvent, threadId: string) {
      const message = super.parseGoogleChatMessage(event, threadId);
      if (event.isCommand === true) message.isMention = true;
      return message;
    }
  };

/** Lets Google Chat replace the cards of the message whose button was pressed. */
const updateOf = (cardsV2: unknown, isForChatApp: boolean): Response =>
  Response.json(
    isForChatApp
      ? { actionResponse: { type: 'UPDATE_MESSAGE' }, cardsV2 }
      : { hostAppDataAction: { chatDataAction: { updateMessageAction: { message: { cardsV2 } } } } },
  );
