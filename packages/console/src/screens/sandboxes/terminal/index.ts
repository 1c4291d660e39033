/** sandboxes/terminal: one command at a time in a sandbox, with what it wrote. */
export { Terminal } from './terminal.tsx';
