import type { GlobalOptions } from '../connection.ts';
import { resolveTarget } from '../connection.ts';
import { VERSION } from '../version.ts';
import type { World } from '../world.ts';

/** How long `svc version` waits for the server. */
const SERVER_MS = 1_500;

/** `svc version`: of this program and, when one answers, of the server. */
export const version = async (world: World, options: GlobalOptions): Promise<void> => {
  const { server: address } = resolveTarget(world, options);
  const server = await serverVersion(world, address);
  // Loaded here: starting a server, next door, needs no forms of output, which bring all kinds and the client.
  const { outputForm, printValue } = await import('../output.ts');
  const form = outputForm(options.output);
  if (form.form !== 'table' && form.form !== 'wide') {
    return printValue(world, { client: VERSION, node: world.nodeVersion, server: server ?? null, address }, form);
  }
  world.stdout.write(`svc    ${VERSION} (Node.js ${world.nodeVersion})\n`);
  world.stdout.write(`server ${server ?? 'none answers'} (${address})\n`);
};

/** Version that `/version` of a server tells; undefined when there is none. */
const serverVersion = async (world: World, address: string): Promise<string | undefined> => {
  try {
    const response = await world.fetch(`${address}/version`, { signal: AbortSignal.timeout(SERVER_MS) });
    const body: unknown = response.status === 200 ? await response.json() : undefined;
    const text: unknown =
      typeof body === 'object' && body !== null
        ? (Reflect.get(body, 'version') ?? Reflect.get(body, 'build'))
        : undefined;
    return typeof text === 'string' ? text : undefined;
  } catch (error) {
    // No server, or something that is none, is an answer here.
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof DOMException) return undefined;
    throw error;
  }
};
