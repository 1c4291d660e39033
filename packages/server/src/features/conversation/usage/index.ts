/**
 * features/conversation/usage: usage policies as resources, the meter that holds every model call, tool call and session creation to
 * them, and the report of what was used. Counts only what runtime tells it and knows no turn. Called by runtime as its UsageMeter; app wires it.
 */
export { usageModule } from './usage-module.ts';
