/**
 * program: the tree of commands with their flags, and the one place where a failure becomes words and an exit code.
 * What a command does is loaded when it runs, so that `svc --help` and completion stay fast.
 */
export { runCommandLine } from './program.ts';
