import { CommandFailure, exitCodes } from './failure.ts';
import { type Host, interrupt } from './host.ts';

/** An action that a person has to confirm. */
interface Question {
  /** Ends the question line, such as `delete them?`. */
  readonly text: string;
  /** Set by --yes. */
  readonly isAgreed: boolean;
  /** Printed when the answer is no, such as `nothing was deleted`. */
  readonly refusal: string;
  /** The word to type; without it, y or yes is enough. */
  readonly word?: string;
}

/** Asks before something that cannot be undone. Throws CommandFailure when the answer is no, or when there is no terminal to ask at. */
export const confirm = async (host: Host, question: Question): Promise<void> => {
  const { text, isAgreed, refusal, word } = question;
  if (isAgreed) return;
  if (!host.stdin.isTerminal) throw new CommandFailure(`${refusal}: confirm with --yes`);
  const terminal = await host.openTerminal();
  const answer = await terminal.ask(`${text} [${word ?? 'y/N'}] `);
  terminal.close();
  if (answer === interrupt) throw new CommandFailure(refusal, { exitCode: exitCodes.interrupted });
  const isYes =
    typeof answer === 'string' && (word === undefined ? /^y(?:es)?$/i.test(answer.trim()) : answer.trim() === word);
  if (!isYes) throw new CommandFailure(refusal);
};
