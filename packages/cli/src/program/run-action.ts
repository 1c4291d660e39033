import type { Command } from 'commander';

/** What a command does with its arguments (absent optional ones are missing at the end) and the values of its flags. */
export type Work<O> = (args: readonly string[], options: O) => Promise<void> | void;

/** Fits a piece of work into commander, which hands over the command last. The declarations say what `O` holds. */
export const run =
  <O>(work: Work<O>) =>
  async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    await work(command.args, command.optsWithGlobals() as O);
  };

/** Shows an example below the help of a command. */
export const example = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText(
    'after',
    `\nExample${lines.length === 1 ? '' : 's'}:\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
