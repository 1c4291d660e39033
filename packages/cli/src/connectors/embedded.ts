import type { Host } from '../host.ts';
import { classManifest, connectorManifest, exampleMatchFields, yamlOf } from './connector-manifests.ts';
import { connectorNamed, settingsFor } from './connector-settings.ts';
import { startConnector } from './start-connector.ts';

/** Connectors that run in the process of a server. */
export interface EmbeddedConnectors {
  stop(): Promise<void>;
}

/** What the ConnectorClass of each says who wrote it. */
const MANAGER = 'svc-up';

/**
 * Starts connectors next to a server that runs in this process, each on a free port of this machine, and declares their classes in the namespace
 * `default` with a key that is new at each start. Settings come from the environment. Throws CommandFailure, and stops those that run.
 */
export async function startEmbedded(
  host: Host,
  platforms: readonly string[],
  serverUrl: string,
): Promise<EmbeddedConnectors> {
  const module = await host.loadConnectors();
  const running: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    await Promise.all(running.map((connector) => connector.stop()));
  };
  try {
    const { call } = await host.createPlainClient({ baseUrl: serverUrl });
    for (const platform of new Set(platforms)) {
      const connector = connectorNamed(module, platform);
      const settings = settingsFor(module, connector, { flags: {}, file: {}, environment: host.environment });
      const apiKey = Buffer.from(host.randomBytes(32)).toString('base64url');
      const address = { host: '127.0.0.1', port: 0 };
      const started = await startConnector(host, module, { connector, settings, apiKey, address });
      running.push(started);
      const facts = { connector, className: connector.name, endpoint: started.url, apiKey: { plain: apiKey } };
      const text = yamlOf(classManifest(facts));
      await call('ResourceService/ApplyManifests', { text, ns: 'default', manager: MANAGER, force: true });
      const route = { agent: 'demo', matchFields: exampleMatchFields(connector) };
      host.stderr.write(
        `${connector.title} connector: webhooks go to ${started.url}/webhook. To route messages, apply:\n${yamlOf(connectorManifest(facts, route))}\n`,
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
