import type { Adapter } from 'chat';
import { type ChatConnector, loadAdapter, openChatPlatform } from '../bridge/index.ts';
import { address, required, type ShippedConnector, secret } from './shipped-connector.ts';

interface WhatsAppThread {
  readonly phoneNumberId: string;
  readonly userWaId: string;
}

const chat: ChatConnector = {
  // WhatsApp takes 4,096 characters.
  maxTextLength: 3_800,
  commandsAreTexts: true,
  // Above buttons WhatsApp takes 1,024 characters, some of them for escapes.
  buttons: { most: 3, labelLength: 20, textLength: 900 },
  interaction: (raw) => ({ id: (raw as { readonly id: string }).id, raw }),
  open: async (settings, { logger, fileTransport }) => {
    const { WhatsAppAdapter } = await loadAdapter<typeof import('@chat-adapter/whatsapp')>('@chat-adapter/whatsapp');
    const apiUrl = settings.get('apiUrl');
    class Adapter extends WhatsAppAdapter {
      override downloadMedia(mediaId: string, transport = fileTransport): Promise<Buffer> {
        return super.downloadMedia(mediaId, transport);
      }
    }
    return new Adapter({
      accessToken: settings.require('accessToken'),
      appSecret: settings.require('appSecret'),
      phoneNumberId: settings.require('phoneNumberId'),
      verifyToken: settings.require('verifyToken'),
      userName: 'svc',
      logger,
      ...(apiUrl === undefined ? {} : { apiUrl }),
    });
  },
  locate: (adapter, { threadId }) => {
    const { phoneNumberId, userWaId } = adapter.decodeThreadId(threadId) as WhatsAppThread;
    return {
      // Two numbers of a business may talk to one person.
      conversation: `${phoneNumberId}:${userWaId}`,
      thread: undefined,
      conversationType: 'dm',
      matchFields: { phone_number: phoneNumberId, user: userWaId },
    };
  },
  threadOf: (adapter, { conversation }) => {
    const [phoneNumberId = '', userWaId = ''] = conversation.split(':');
    return (adapter as Adapter<WhatsAppThread>).encodeThreadId({ phoneNumberId, userWaId });
  },
};

/** WhatsApp, by the Cloud API of a business number. */
export const whatsapp: ShippedConnector = {
  name: 'whatsapp',
  title: 'WhatsApp',
  settings: [
    secret('accessToken', 'WHATSAPP_ACCESS_TOKEN', 'token of a system user'),
    secret('appSecret', 'WHATSAPP_APP_SECRET', 'secret of the Meta app'),
    required('phoneNumberId', 'WHATSAPP_PHONE_NUMBER_ID', 'id of the business number, not the number itself'),
    secret('verifyToken', 'WHATSAPP_VERIFY_TOKEN', 'text of your choice that Meta repeats when it checks the address'),
    address('apiUrl', 'WHATSAPP_API_URL', 'address of the Graph API'),
  ],
  matchIndexes: [
    { name: 'user', fields: ['phone_number', 'user'] },
    { name: 'phone_number', fields: ['phone_number'] },
  ],
  verification: 'X-Hub-Signature-256: HMAC-SHA256 over the body with the app secret',
  open: (settings, tools) => openChatPlatform(chat, settings, tools),
};
