/** Texts of the list of sessions. */
export const texts = {
  title: 'Sessions',
  session: 'Session',
  agent: 'Agent',
  namespace: 'Namespace',
  everyAgent: 'Every agent',
  state: 'State',
  everyState: 'Every state',
  active: 'Last active',
  labels: 'Labels',
  selector: 'Label selector',
  selectorHint: 'channel=web,tier!=test',
  new: 'New session',
  chooseAgent: 'Choose an agent first: a session is a conversation with one agent',
  none: 'No conversation here yet',
  noneFiltered: 'No conversation fits these filters',
  noneHint: 'A session is one conversation with an agent. Begin one above, or with',
} as const;
