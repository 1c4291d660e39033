/** Texts of trails. */
export const texts = {
  title: 'Trail',
  id: 'Id',
  idHint: 'Of a message, turn, run, delivery, task, or schedule@instant',
  namespace: 'Namespace',
  show: 'Show',
  idMissing: 'Enter an id first',
  empty: 'What became of a message?',
  emptyLead:
    'A trail is the story of one message: where it came from, what each agent did with it, and where the answer went. Messages, turns, runs, deliveries and tasks link to theirs; or enter an id above.',
  none: 'Nothing is kept of this',
  truncated: 'More belongs to this trail than is shown: these are the entries nearest to the one that was asked for.',
  story: 'What happened, each effect below its cause',
  asked: 'Asked for',
  took: (text: string): string => `took ${text}`,
};
