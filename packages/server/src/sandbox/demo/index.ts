/** sandbox/demo: sandboxes in memory that run no code, for tests and demonstrations. Nothing of them survives the process. */
export { DemoProvider } from './demo-provider.ts';
