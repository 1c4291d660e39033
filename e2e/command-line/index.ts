/**
 * command-line: `svc` run as a person runs it, with a home directory of its own, from a pipe or at a pseudo terminal.
 * Called by the first-contact tests.
 */
export { type Command, Home } from './home.ts';
