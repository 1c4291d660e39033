import { resolve } from 'node:path';
import type { Host } from '../host.ts';
import { outputForm, printValue } from '../output.ts';
import { showingElapsed } from './elapsed.ts';
import { explained, openLocalStore, type StoreOptions } from './local-store.ts';
import { givenPassphrase, type PassphraseOptions, readPassphrase } from './passphrase.ts';

export interface RestoreOptions extends StoreOptions, PassphraseOptions {
  readonly replace?: boolean;
  /** False with --without-keys. */
  readonly withoutKeys?: boolean;
}

/** `svc restore FILE`: into an empty data directory, or with --replace over an existing store. The server must be stopped. */
export const restore = async (host: Host, name: string, options: RestoreOptions): Promise<void> => {
  const { server, upkeep, dataDir } = await openLocalStore(host, options);
  const file = resolve(host.cwd, name);
  const isWithoutKeys = options.withoutKeys === true;
  const { quiet } = options;
  const passphrase = isWithoutKeys
    ? undefined
    : await passphraseFor(host, options, async () => {
        const { hasKeys } = await showingElapsed(host, { label: 'reading the archive', quiet }, () =>
          explained(server, () => upkeep.check(file)),
        );
        return hasKeys;
      });
  const keys = passphrase === undefined ? {} : { passphrase };
  const order = { file, isReplacing: options.replace === true, isWithoutKeys, ...keys };
  const restored = await showingElapsed(host, { label: 'restoring the backup', quiet }, () =>
    explained(server, () => upkeep.restore(order)),
  );
  const { manifest, safety, hasKeys } = restored;
  const form = outputForm(options.output);
  if (form.form === 'table' || form.form === 'wide') host.stdout.write(`${dataDir}\n`);
  else await printValue(host, { dataDir, safety: safety ?? null, createdAt: manifest.created_at }, form);
  if (quiet === true) return;
  host.stderr.write(`restored the state of ${manifest.created_at}\n`);
  if (safety !== undefined) host.stderr.write(`what was there before is in ${safety}\n`);
  if (!hasKeys || isWithoutKeys)
    host.stderr.write(
      'no keys were restored: if it holds secrets, put keys/master.json of the server that was backed up into the data directory ' +
        'before the start, or see the refusal of the start for what to do without it\n',
    );
};

/** Asks only when the archive holds keys. */
const passphraseFor = async (
  host: Host,
  options: RestoreOptions,
  hasKeys: () => Promise<boolean>,
): Promise<string | undefined> => {
  const given = givenPassphrase(host, options);
  if (given !== undefined || !host.stdin.isTerminal) return given;
  return (await hasKeys()) ? readPassphrase(host, options, { isNew: false }) : undefined;
};
