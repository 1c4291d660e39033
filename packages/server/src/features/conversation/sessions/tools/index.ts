/**
 * features/conversation/sessions/tools: sessions as agents use them: which there are, what was said in one, and a message to another
 * agent's session. Who may send to whom says runtime/record/lineage-rules; what a session is belongs to the folder above.
 */
export type { SessionToolsDeps } from './named-session.ts';
export { sessionTools } from './session-tools.ts';
