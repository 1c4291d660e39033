import { Fault } from '../base/index.ts';

/** What the kernel takes as one argument, without the zero that ends it. */
const ARGUMENT_BYTES = 131_071;

/**
 * Refuses texts that would not arrive as they are: Fault INVALID_ARGUMENT SANDBOX_COMMAND. Options of a jail are sent with a zero after
 * each: a zero within one would end it, and what follows would be an option of its own, such as a mount of the machine's files.
 */
export const checkTexts = (texts: readonly string[]): void => {
  const refuse = (problem: string): never => {
    throw new Fault('INVALID_ARGUMENT', 'SANDBOX_COMMAND', problem);
  };
  if (texts.some((text) => text.includes('\0')))
    refuse('a command, its folder and its variables must not contain the character U+0000');
  if (texts.some((text) => Buffer.byteLength(text) > ARGUMENT_BYTES))
    refuse(`an argument or variable of a command must not have more than ${ARGUMENT_BYTES} bytes`);
};
