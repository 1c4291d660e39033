import type { GlobalOptions } from '../connection.ts';
import { changeAnnotations } from '../editing/index.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { outputForm, printList } from '../output.ts';
import { renderTable } from '../terminal/index.ts';
import { classManifest, connectorManifest, exampleMatchFields, yamlOf } from './connector-manifests.ts';
import {
  API_KEY_VARIABLE,
  connectorNamed,
  readAssignments,
  readConnectorFile,
  settingsFor,
} from './connector-settings.ts';
import { startConnector } from './start-connector.ts';

export interface RunConnectorOptions extends GlobalOptions {
  readonly set?: readonly string[];
  readonly settings?: string;
  readonly listen?: string;
  readonly class?: string;
  readonly endpoint?: string;
  readonly agent?: string;
  readonly match?: readonly string[];
  readonly printManifests?: boolean;
  /** False with --no-register. */
  readonly register?: boolean;
}

const DEFAULT_LISTEN = '127.0.0.1:7430';

/** `svc connector platforms`: what can be run, and what each wants to know. */
export const listPlatforms = async (host: Host, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { shippedConnectors } = await host.loadConnectors();
  const items = shippedConnectors.map(({ name, title, settings, matchIndexes, verification }) => ({
    name,
    title,
    settings: settings.map((setting) => ({ ...setting })),
    matchIndexes: matchIndexes.map((index) => ({ name: index.name, fields: [...index.fields] })),
    verification,
  }));
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items }, form);
  const rows = items.map(({ name, settings, matchIndexes }) => [
    name,
    settings.map((setting) => `${setting.name}${setting.isRequired ? '' : '?'}`).join(' '),
    [...new Set(matchIndexes.flatMap(({ fields }) => fields))].join(' '),
  ]);
  host.stdout.write(renderTable(['PLATFORM', 'SETTINGS', 'MATCH FIELDS'], rows, host.stdout.columns));
};

/** `svc connector run PLATFORM`: until Ctrl-C; with --print-manifests only what to apply. */
export const runConnector = async (host: Host, platform: string, options: RunConnectorOptions): Promise<void> => {
  const module = await host.loadConnectors();
  const connector = connectorNamed(module, platform);
  const file = readConnectorFile(host, options.settings);
  const address = readAddress(options.listen ?? file.listen ?? DEFAULT_LISTEN);
  const className = options.class ?? file.class ?? connector.name;
  if (options.printManifests === true) {
    const endpoint = options.endpoint ?? `http://${address.host}:${address.port}`;
    const facts = { connector, className, endpoint, apiKey: { env: API_KEY_VARIABLE } };
    const matchFields =
      options.match === undefined ? exampleMatchFields(connector) : readAssignments('--match', options.match);
    const route = { agent: options.agent ?? 'demo', matchFields };
    return host.stdout.write(yamlOf(classManifest(facts), connectorManifest(facts, route)));
  }
  const apiKey = file.apiKey ?? host.environment[API_KEY_VARIABLE];
  if (apiKey === undefined || apiKey === '')
    throw new CommandFailure('the key is missing with which svc calls this connector', {
      hint: `set ${API_KEY_VARIABLE} here and for the server, or apiKey in the settings file`,
    });
  const flags = readAssignments('--set', options.set);
  const settings = settingsFor(module, connector, { flags, file: file.settings, environment: host.environment });
  const running = await startConnector(host, module, { connector, settings, apiKey, address });
  host.stderr.write(`${connector.title} connector at ${running.url}; webhooks go to ${running.url}/webhook\n`);
  // Listening for signals comes first: one that arrives during the registration has to stop the connector too.
  const stopped = new Promise<void>((resolve) => host.onStop(resolve));
  if (options.register !== false) await askForRegistration(host, className, options);
  await stopped;
  await running.stop();
};

/**
 * Asks svc to register again: this process has forgotten what an earlier one knew, and platforms send what they have only
 * once it is registered. Where that is not possible, the next delivery brings the registration.
 */
const askForRegistration = async (host: Host, className: string, options: GlobalOptions): Promise<void> => {
  const id = Buffer.from(host.randomBytes(8)).toString('hex');
  try {
    await changeAnnotations(host, ['connectorclass', className, `option.svc/reregister=${id}`], {
      ...options,
      overwrite: true,
    });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    host.stderr.write(
      `warn: svc was not asked to register connectorclass/${className}: ${text}\n  try: svc annotate connectorclass ${className} option.svc/reregister=${id} --overwrite\n`,
    );
  }
};

const readAddress = (text: string): { readonly host: string; readonly port: number } => {
  const [, host = '', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535)
    throw new CommandFailure(`${text} is not an address to listen on`, { hint: 'host:port, such as 127.0.0.1:7430' });
  return { host: host === '' ? '127.0.0.1' : host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
};
