/** request: a question of the agent in the conversation, answered in its place. */
export { ClosedRequest, OpenRequest } from './request-row.tsx';
