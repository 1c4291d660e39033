/** form: an agent as fields, which read and write the same YAML text as the editor. */
export { AgentForm } from './agent-form.tsx';
export { grantsOf } from './capabilities.ts';
