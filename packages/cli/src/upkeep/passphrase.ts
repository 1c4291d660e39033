import { resolve } from 'node:path';
import { CommandFailure } from '../failure.ts';
import type { World } from '../world.ts';

export interface PassphraseOptions {
  readonly passphraseFile?: string;
}

/** From the file, the environment or a hidden prompt; never from an argument, which other users of the machine could read. */
export const readPassphrase = async (
  world: World,
  options: PassphraseOptions,
  asking: { readonly isNew: boolean },
): Promise<string> => {
  const given = givenPassphrase(world, options);
  if (given !== undefined) return given;
  if (!world.stdin.isTerminal)
    throw new CommandFailure('the keys need a passphrase', {
      hint: 'give it with --passphrase-file or SVC_PASSPHRASE',
    });
  const first = await world.askHidden('passphrase of the keys: ');
  if (first === undefined) throw new CommandFailure('nothing was entered');
  if (asking.isNew && (await world.askHidden('once more: ')) !== first)
    throw new CommandFailure('the two passphrases differ');
  return first;
};

/** What was given without a prompt. */
export const givenPassphrase = (world: World, options: PassphraseOptions): string | undefined => {
  if (options.passphraseFile === undefined) return world.environment['SVC_PASSPHRASE'] || undefined;
  const path = resolve(world.cwd, options.passphraseFile);
  const text = world.files.readText(path)?.replace(/\r?\n$/, '');
  if (text === undefined) throw new CommandFailure(`--passphrase-file: ${path} does not exist`);
  return text;
};
