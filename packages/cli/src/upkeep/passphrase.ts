import { resolve } from 'node:path';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';

export interface PassphraseOptions {
  readonly passphraseFile?: string;
}

/** From the file, the environment or a hidden prompt; never from an argument, which other users of the machine could read. */
export const readPassphrase = async (
  host: Host,
  options: PassphraseOptions,
  asking: { readonly isNew: boolean },
): Promise<string> => {
  const given = givenPassphrase(host, options);
  if (given !== undefined) return given;
  if (!host.stdin.isTerminal)
    throw new CommandFailure('the keys need a passphrase', {
      hint: 'give it with --passphrase-file or SVC_PASSPHRASE',
    });
  const first = await host.askHidden('passphrase of the keys: ');
  if (first === undefined) throw new CommandFailure('nothing was entered');
  if (asking.isNew && (await host.askHidden('once more: ')) !== first)
    throw new CommandFailure('the two passphrases differ');
  return first;
};

/** What was given without a prompt. */
export const givenPassphrase = (host: Host, options: PassphraseOptions): string | undefined => {
  if (options.passphraseFile === undefined) return host.environment['SVC_PASSPHRASE'] || undefined;
  const path = resolve(host.cwd, options.passphraseFile);
  const text = host.files.readText(path)?.replace(/\r?\n$/, '');
  if (text === undefined) throw new CommandFailure(`--passphrase-file: ${path} does not exist`);
  return text;
};
