/**
 * features/coordination/connectors/requests: what turns ask people, brought into the conversation that began them, and the answers that come
 * back from there. On for connectors with the annotation `option.svc/requests: deliver`; the senders in `option.svc/approvers` may answer.
 * The requests themselves, and what follows from an answer, are the runtime's. `answerOf` is asked by ingest, before it treats an event
 * as a message; the delivery of questions is asked for by the hook of the outbox.
 */
export { type AnsweredRequest, type ConversationAnswers, RequestAnswers } from './request-answers.ts';
export { deliverRequests, type RequestDeliveriesDeps } from './request-deliveries.ts';
