/** actions: what can be done with a message or a whole session, such as fork, edit and resend, compact and delete. */
export { messageItems } from './message-items.ts';
export { RetryForm } from './retry-form.tsx';
export { agentValues, type Difference, differences, sessionValues } from './tried-values.ts';
export { TryForm } from './try-form.tsx';
export { type Retry, useSessionActions } from './use-session-actions.ts';
