import { setTimeout } from 'node:timers/promises';
import type { Adapter, Logger } from 'chat';
import { type ConnectorHost, type ConnectorLog, NotTaken, type Platform } from '../kit/index.ts';
import type { Settings } from '../settings.ts';
import { ChatBridge } from './chat-bridge.ts';
import type { ChatConnector, FileTransport } from './chat-connector.ts';
import { postReply } from './outbound.ts';
import { SignIn } from './sign-in.ts';

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
  const verify = connector.verifier?.(settings);
  return (host) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const bridge = new ChatBridge({
      connector,
      host,
      logger,
      wait,
      userName: settings.get('userName') ?? 'svc',
      now: Date.now,
      stopping: signal,
    });
    const signIn = new SignIn({
      host,
      wait,
      stopping: signal,
      attempt: async () => {
        await adapter.initialize(bridge);
        // Adapters only warn when the platform does not answer.
        if (connector.hasIdentity === true && adapter.botUserId === undefined)
          throw new Error('the platform did not say who the bot is: it cannot be reached or refuses the credential');
        connector.listen?.(adapter, { signal, log: host.log, wait }, settings);
      },
    });
    return {
      start: () => signIn.start(),
      stop: async () => {
        stopping.abort();
        await adapter.disconnect?.();
      },
      receive: async (received) => {
        // An adapter that is not ready could acknowledge a message without handing it on.
        if (!signIn.isDone) throw new NotTaken('the connector has not signed in to the platform yet');
        const request = connector.prepare?.(received) ?? received;
        if (verify === undefined) return await bridge.receive(adapter, request);
        const body = await request.text();
        const { url, method, headers } = request;
        if (!(await verify({ headers, body }))) return new Response('not signed by the platform\n', { status: 401 });
        return await bridge.receive(adapter, new Request(url, { method, headers, body }));
      },
      deliver: (delivery) => postReply(connector, adapter, delivery),
      showTyping: (place) => adapter.startTyping(connector.threadOf(adapter, place)),
    };
  };
}

const wait = async (ms: number, signal: AbortSignal): Promise<void> => {
  // The signal only ends the wait: what waits checks it itself.
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
};

/** Adapters log payloads at debug level, which may hold texts of people; those lines are dropped. */
const loggerOf = (log: ConnectorLog, prefix: string): Logger => ({
  child: (name) => loggerOf(log, `${prefix}${name}: `),
  debug: () => undefined,
  info: () => undefined,
  warn: (message) => log.warn(`${prefix}${message}`),
  error: (message) => log.error(`${prefix}${message}`),
});
