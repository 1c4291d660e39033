import type { GlobalOptions } from './connection.ts';
import { resolveTarget } from './connection.ts';
import type { Host } from './host.ts';
import { outputForm, printValue } from './output.ts';
import { VERSION } from './version.ts';

/** How long `svc version` waits for the server. */
const SERVER_MS = 1_500;

/** `svc version`: the version of this program and, if one answers, of the server. */
export const version = async (host: Host, options: GlobalOptions): Promise<void> => {
  const { server: address } = resolveTarget(host, options);
  const server = await serverVersion(host, address);
  const form = outputForm(options.output);
  if (form.form !== 'table' && form.form !== 'wide') {
    return printValue(host, { client: VERSION, node: host.nodeVersion, server: server ?? null, address }, form);
  }
  host.stdout.write(`svc    ${VERSION} (Node.js ${host.nodeVersion})\n`);
  host.stdout.write(`server ${server ?? 'does not answer'} (${address})\n`);
};

/** Version that a server reports at `/version`; undefined when there is none. */
const serverVersion = async (host: Host, address: string): Promise<string | undefined> => {
  try {
    const request = { method: 'GET', headers: {}, signal: AbortSignal.timeout(SERVER_MS) };
    const response = await host.ask(`${address}/version`, request);
    const body: unknown = response.status === 200 ? JSON.parse(await response.text()) : undefined;
    const text: unknown =
      typeof body === 'object' && body !== null
        ? (Reflect.get(body, 'version') ?? Reflect.get(body, 'build'))
        : undefined;
    return typeof text === 'string' ? text : undefined;
  } catch (error) {
    // No server, or something else at that address, is a valid result here.
    if (error instanceof SyntaxError || (error instanceof Error && ('code' in error || 'cause' in error)))
      return undefined;
    throw error;
  }
};
