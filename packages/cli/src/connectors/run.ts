import { isSvcError } from '@svc/client/error';
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
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    host.onStop(() => {
      stopping.abort();
      resolve();
    });
  });
  const asked =
    options.register === false ? undefined : askForRegistration(host, className, { options, signal: stopping.signal });
  await stopped;
  await running.stop();
  await asked;
};

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

/**
 * Asks svc to register again: this process has forgotten what an earlier one knew, and refuses what the platform sends until it is
 * registered. A server that cannot be reached, such as one that starts later, is asked until it answers. Never throws.
 */
const askForRegistration = async (
  host: Host,
  className: string,
  given: { readonly options: GlobalOptions; readonly signal: AbortSignal },
): Promise<void> => {
  const { options, signal } = given;
  const id = Buffer.from(host.randomBytes(8)).toString('hex');
  const change = `option.svc/reregister=${id}`;
  for (let delayMs = FIRST_RETRY_MS; !signal.aborted; delayMs = Math.min(2 * delayMs, LAST_RETRY_MS)) {
    try {
      return await changeAnnotations(host, ['connectorclass', className, change], { ...options, overwrite: true });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const isRepeated = mayAnswerLater(error);
      if (!isRepeated || delayMs === FIRST_RETRY_MS)
        host.stderr.write(
          `warn: svc was not asked to register connectorclass/${className}: ${text}${isRepeated ? '; trying until it answers' : ''}\n  try: svc annotate connectorclass ${className} ${change} --overwrite\n`,
        );
      if (!isRepeated) return;
    }
    await host.sleep(delayMs, signal);
  }
};

const mayAnswerLater = (error: unknown): boolean =>
  isSvcError(error) && ['UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(error.code);

const readAddress = (text: string): { readonly host: string; readonly port: number } => {
  const [, host = '', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535)
    throw new CommandFailure(`${text} is not an address to listen on`, { hint: 'host:port, such as 127.0.0.1:7430' });
  return { host: host === '' ? '127.0.0.1' : host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
};
