import { CommandFailure } from '../failure.ts';
import type { ConnectorsModule, Host } from '../host.ts';
import { explainSetting } from './connector-settings.ts';

interface StartOptions {
  readonly connector: ConnectorsModule['shippedConnectors'][number];
  readonly settings: InstanceType<ConnectorsModule['Settings']>;
  readonly apiKey: string;
  readonly address: { readonly host: string; readonly port: number };
}

/** Opens the connector and takes requests. Throws CommandFailure for settings and addresses that cannot be used and packages that are missing. */
export async function startConnector(host: Host, module: ConnectorsModule, options: StartOptions) {
  const { connector, settings, apiKey, address } = options;
  const log = logTo(host, connector.name);
  try {
    const connect = await connector.open(settings, { log });
    const service = new module.ConnectorService({ apiKey, connect, log });
    return await module.listen(service, {
      ...address,
      onStartFailed: (error) => log.error(`${connector.title} cannot be reached`, { error }),
    });
  } catch (error) {
    throw explainSetting(module, error) ?? explainAddress(address, error) ?? error;
  }
}

/** An address on which this process cannot listen; undefined for other errors. */
function explainAddress({ host, port }: StartOptions['address'], error: unknown): CommandFailure | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const why = addressFaults[code];
  if (why === undefined) return undefined;
  return new CommandFailure(`cannot listen on ${host}:${port}: ${why}`, {
    hint: '--listen HOST:PORT chooses another address; the ConnectorClass has to name it',
    cause: error,
  });
}

const addressFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'you may not use that port',
  ENOTFOUND: 'the host is not known',
};

type Log = ConstructorParameters<ConnectorsModule['ConnectorService']>[0]['log'];

/** One line for each event on standard error. */
function logTo(host: Host, name: string): Log {
  const write =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const details = Object.entries(fields).map(([key, value]) => ` ${key}=${textOf(value)}`);
      host.stderr.write(`${level} ${name}: ${message}${details.join('')}\n`);
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

/** Errors by their messages, with what caused them. */
function textOf(value: unknown): string {
  if (!(value instanceof Error)) return JSON.stringify(value) ?? 'undefined';
  const cause = value.cause instanceof Error ? ` (${value.cause.message})` : '';
  return JSON.stringify(`${value.message}${cause}`);
}
