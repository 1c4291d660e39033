import { Fault } from '../base/index.ts';
import type { SandboxCommand, SandboxPlan } from './contract.ts';

/** What the kernel takes as one argument, without the zero that ends it. */
const ARGUMENT_BYTES = 131_071;
/** What of a name is shown. */
const NAME_CHARS = 100;

const refuse = (problem: string): never => {
  throw new Fault('INVALID_ARGUMENT', 'SANDBOX_COMMAND', problem);
};

/**
 * Refuses texts that would not arrive as they are: Fault INVALID_ARGUMENT SANDBOX_COMMAND. Options of a jail are sent with a zero after
 * each: a zero within one would end it, and what follows would be an option of its own, such as a mount of the machine's files.
 */
export const checkTexts = (texts: readonly string[]): void => {
  if (texts.some((text) => text.includes('\0')))
    refuse('a command, its folder and its variables must not contain the character U+0000');
  if (texts.some((text) => Buffer.byteLength(text) > ARGUMENT_BYTES))
    refuse(`an argument or variable of a command must not have more than ${ARGUMENT_BYTES} bytes`);
};

/** Refuses a command that no process can be given as it is: Fault INVALID_ARGUMENT SANDBOX_COMMAND. */
export const checkCommand = ({ env }: Pick<SandboxPlan, 'env'>, command: SandboxCommand): void => {
  const variables = Object.entries({ ...env, ...command.env });
  for (const [name] of variables)
    if (name === '' || name.includes('='))
      refuse(`"${name.slice(0, NAME_CHARS)}" is not the name of a variable: it must not be empty or contain "="`);
  checkTexts([...command.argv, command.cwd, ...variables.map(([name, value]) => `${name}=${value}`)]);
};
