import type { Command } from 'commander';
import { kindList } from '../kind-names.ts';

/** The implementation of a command: gets its arguments (missing optional ones are absent at the end) and the values of its flags. */
export type Work<O> = (args: readonly string[], options: O) => Promise<void> | void;

/** Adapts an implementation to commander, which passes the command last. The declarations determine `O`. */
export const run =
  <O>(work: Work<O>) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    await work(command.args, command.optsWithGlobals() as O);
  };

/** Width of texts below help. */
const HELP_COLUMNS = 78;

/** Lists the words for kinds below the help of a command that takes a kind. */
export const takingKind = (command: Command): Command => {
  const lines = ['Kinds:'];
  for (const word of `${kindList()}; custom kinds by their exact name`.split(' ')) {
    const line = `${lines.at(-1) ?? ''} ${word}`;
    if (line.length <= HELP_COLUMNS) lines[lines.length - 1] = line;
    else lines.push(`  ${word}`);
  }
  return command.addHelpText('after', lines.join('\n'));
};

/** Shows an example below the help of a command. */
export const example = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText(
    'after',
    `\nExample${lines.length === 1 ? '' : 's'}:\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
