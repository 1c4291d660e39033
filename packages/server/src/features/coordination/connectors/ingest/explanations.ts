/** What the words of an answer to an event mean. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  accepted: 'The event is taken.',
  unsupported_event_kind: 'Only new messages are taken; edits and deletions are left alone.',
  empty_message: 'The message has neither text nor attachments.',
  loop_guard:
    'A program wrote it, and programs wrote as many messages in this conversation as they may within a minute.',
  not_an_approver: 'It answers a question of an agent, and its sender may not answer any.',
  no_open_request: 'It answers a question of an agent that is not open any more.',
  no_answer: 'It does not answer the question of an agent that it names.',
  no_route: 'No connector of the class takes events with these match fields.',
  connector_disabled: 'The connector that it is for is disabled.',
  namespace_deleted: 'The namespace that it is for is deleted.',
  channel_closed: 'The channel that it is for is closed.',
  input_schema: 'The workflow does not take this message as its input.',
};

/** A sentence for the word of an answer; '' for a word without one. */
export const explanationOf = (reason: string): string => EXPLANATIONS[reason] ?? '';
