import { request } from 'node:http';
import type { PlatformTools } from '../bridge/index.ts';
import { type ConnectorLog, ConnectorService, type ListeningConnector, listen } from '../kit/index.ts';
import type { ShippedConnector } from '../platforms/shipped-connector.ts';
import { Settings } from '../settings.ts';
import { FakePlatform, type PlatformAnswer, type PlatformCall } from './fake-platform.ts';
import { API_KEY, FakeSvc } from './fake-svc.ts';

const quietLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface Bench {
  readonly svc: FakeSvc;
  readonly platform: FakePlatform;
  readonly url: string;
  /** Sends a webhook as the platform would. */
  webhook(request: RequestInit & { readonly path?: string }): Promise<Response>;
  deliver(delivery: Readonly<Record<string, unknown>>): Promise<Response>;
  /** The process of the connector ends and another one starts; svc does not know yet. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Fetches files of any host from the platform of the test. */
const toPlatform =
  (platformUrl: string): NonNullable<PlatformTools['fileTransport']> =>
  ({ pathname, search }, signal, headers = {}) =>
    new Promise((resolve, reject) => {
      request(platformUrl + pathname + search, { signal, headers }, resolve)
        .once('error', reject)
        .end();
    });

/** A shipped connector between a platform and svc, both on this machine, registered. */
export async function openBench(given: {
  readonly connector: ShippedConnector;
  readonly settings: (platformUrl: string) => Readonly<Record<string, string>>;
  readonly answer: (call: PlatformCall) => PlatformAnswer;
  readonly log?: ConnectorLog;
  /** The platform may be away at the start. */
  readonly mayFailToStart?: boolean;
}): Promise<Bench> {
  const svc = new FakeSvc();
  const platform = new FakePlatform(given.answer);
  await svc.listen();
  await platform.listen();
  const start = async (): Promise<ListeningConnector> => {
    const settings = new Settings(given.connector.settings, given.settings(platform.url));
    const connect = await given.connector.open(settings, {
      log: given.log ?? quietLog,
      fileTransport: toPlatform(platform.url),
    });
    const service = new ConnectorService({ apiKey: API_KEY, log: quietLog, connect });
    const onStartFailed = (error: unknown) => {
      if (given.mayFailToStart !== true) throw error;
    };
    return await listen(service, { host: '127.0.0.1', port: 0, onStartFailed });
  };
  let connector = await start();
  await svc.register(connector.url);
  return {
    svc,
    platform,
    get url() {
      return connector.url;
    },
    webhook: async ({ path = '', ...init }) =>
      await fetch(`${connector.url}/webhook${path}`, { method: 'POST', ...init }),
    deliver: async (delivery) => await svc.deliver(connector.url, delivery),
    restart: async () => {
      await connector.stop();
      connector = await start();
    },
    close: async () => {
      await connector.stop();
      await platform.close();
      await svc.close();
    },
  };
}
