import type { GlobalOptions } from './connection.ts';
import { resolveTarget } from './connection.ts';
import { outputForm, printValue } from './output.ts';
import { VERSION } from './version.ts';
import type { World } from './world.ts';

/** How long `svc version` waits for the server. */
const SERVER_MS = 1_500;

/** `svc version`: the version of this program and, if one answers, of the server. */
export const version = async (world: World, options: GlobalOptions): Promise<void> => {
  const { server: address } = resolveTarget(world, options);
  const server = await serverVersion(world, address);
  const form = outputForm(options.output);
  if (form.form !== 'table' && form.form !== 'wide') {
    return printValue(world, { client: VERSION, node: world.nodeVersion, server: server ?? null, address }, form);
  }
  world.stdout.write(`svc    ${VERSION} (Node.js ${world.nodeVersion})\n`);
  world.stdout.write(`server ${server ?? 'does not answer'} (${address})\n`);
};

/** Version that a server reports at `/version`; undefined when there is none. */
const serverVersion = async (world: World, address: string): Promise<string | undefined> => {
  try {
    const request = { method: 'GET', headers: {}, signal: AbortSignal.timeout(SERVER_MS) };
    const response = await world.ask(`${address}/version`, request);
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
