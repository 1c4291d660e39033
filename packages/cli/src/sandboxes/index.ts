/** sandboxes: `svc sandbox`, commands in the places where agents run code. Knows the operation ExecSandbox alone. */
export { type ExecOptions, execSandbox } from './exec.ts';
