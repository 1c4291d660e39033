/** explain: what would happen to a message of a platform or of a channel, asked without storing or sending it. Panels of other screens. */
export { EXPLAIN_EVENT, EXPLAIN_MESSAGE, explainKey } from './explain-key.ts';
