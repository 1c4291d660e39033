/** definition: the text of a workflow while it is written, and when it may be saved. */
export { useDefinition } from './use-definition.ts';
