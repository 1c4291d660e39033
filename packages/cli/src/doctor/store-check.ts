import type { Host } from '../host.ts';
import { openLocalStore } from '../upkeep/index.ts';
import { type Check, fail, ok, warn } from './check.ts';

const NAME = 'store';

/** Whether the store on this machine can be opened, if no server has it open; a running server checks it itself. */
export const checkStore = async (
  host: Host,
  options: { readonly config?: string; readonly dataDir?: string },
): Promise<readonly Check[]> => {
  const { server, upkeep } = await openLocalStore(host, options);
  if (!upkeep.hasStore()) return [];
  try {
    if (await upkeep.isInUse()) return [];
    const { applied, known, pending } = (await upkeep.moveSchema({ to: 'status' })).status;
    if (pending.length > 0)
      return [
        warn(NAME, `schema ${applied}, this release has ${known}`, 'the next start, or svc migrate up, migrates it'),
      ];
    return [ok(NAME, `schema ${applied}`)];
  } catch (error) {
    if (!server.isFault(error)) throw error;
    const remedy =
      error.reason === 'STORE_DAMAGED' ? 'svc restore FILE --replace brings a backup back' : 'svc migrate status';
    return [fail(NAME, error.message, remedy)];
  }
};
