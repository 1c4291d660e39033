/** sandboxes: `svc sandbox`, a look into where agents run code. Knows the operation ExecSandbox alone. */
export { type ExecOptions, execSandbox } from './exec.ts';
