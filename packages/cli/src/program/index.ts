/**
 * program: the tree of commands with their flags, and the one place that turns a failure into a message and an exit code.
 * The code of a command is loaded when it runs, so that `svc --help` and completion stay fast.
 */
export { runCommandLine } from './program.ts';
