import type { Adapter, Logger } from 'chat';
import type { ConnectorHost, ConnectorLog, Platform } from '../kit/index.ts';
import type { Settings } from '../settings.ts';
import { ChatBridge } from './chat-bridge.ts';
import type { ChatConnector, FileTransport } from './chat-connector.ts';
import { postReply } from './outbound.ts';

export interface PlatformTools {
  readonly log: ConnectorLog;
  readonly fileTransport?: FileTransport;
}

/** Makes a platform for the kit of an adapter of the Chat SDK. Throws AdapterMissing when the adapter is not installed. */
export async function openChatPlatform(
  connector: ChatConnector,
  settings: Settings,
  tools: PlatformTools,
): Promise<(host: ConnectorHost) => Platform> {
  const logger = loggerOf(tools.log, '');
  const adapter = (await connector.open(settings, { logger, fileTransport: tools.fileTransport })) as Adapter;
  return (host) => {
    const bridge = new ChatBridge({
      connector,
      host,
      logger,
      userName: settings.get('userName') ?? 'svc',
      now: Date.now,
    });
    return {
      start: () => adapter.initialize(bridge),
      stop: async () => await adapter.disconnect?.(),
      receive: (request) => bridge.receive(adapter, request),
      deliver: (delivery) => postReply(connector, adapter, delivery),
      showTyping: (place) => adapter.startTyping(connector.threadOf(adapter, place)),
    };
  };
}

/** Adapters log payloads at debug level, which may hold texts of people; those lines are dropped. */
const loggerOf = (log: ConnectorLog, prefix: string): Logger => ({
  child: (name) => loggerOf(log, `${prefix}${name}: `),
  debug: () => undefined,
  info: () => undefined,
  warn: (message) => log.warn(`${prefix}${message}`),
  error: (message) => log.error(`${prefix}${message}`),
});
