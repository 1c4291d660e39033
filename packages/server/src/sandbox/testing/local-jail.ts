import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { systemClock } from '../../base/index.ts';
import { LocalProvider, type LocalProviderDeps } from '../local/local-provider.ts';

/** A provider of real jails in the given folder; it reaches only this machine. */
export const localProvider = (root: string, deps: Partial<LocalProviderDeps> = {}): LocalProvider =>
  new LocalProvider({
    root,
    clock: systemClock,
    searchPath: process.env['PATH'] ?? '',
    resolve: async () => ['127.0.0.1'],
    isAllowedAddress: (address) => address === '127.0.0.1',
    ...deps,
  });

/** Whether jails can be made here. With CI=true a machine without bubblewrap is a failure; one that forbids namespaces is not. */
export const canJail = async (): Promise<boolean> => {
  const root = mkdtempSync(join(tmpdir(), 'svc-jail-'));
  const { isAvailable, message } = await localProvider(root).probe();
  rmSync(root, { recursive: true });
  if (process.env['CI'] === 'true' && message.startsWith('bubblewrap is not installed')) throw new Error(message);
  return isAvailable;
};
