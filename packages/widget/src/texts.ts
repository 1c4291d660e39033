/** Every text that the chat shows by itself; a page may replace any of them. */
export interface ChatTexts {
  /** Name of the chat, where the page gives none. */
  readonly title: string;
  readonly open: string;
  readonly close: string;
  readonly unread: string;
  readonly conversation: string;
  readonly empty: string;
  readonly placeholder: string;
  readonly message: string;
  readonly send: string;
  readonly stop: string;
  readonly attach: string;
  readonly remove: (name: string) => string;
  readonly dropHere: string;
  readonly you: string;
  readonly agent: string;
  readonly working: string;
  readonly waiting: string;
  readonly answered: string;
  readonly earlier: string;
  readonly loading: string;
  readonly toEnd: string;
  readonly reconnecting: string;
  readonly retry: string;
  readonly discard: string;
  readonly sending: string;
  readonly notSent: string;
  readonly stopped: string;
  readonly cutShort: string;
  readonly declinedToAnswer: string;
  readonly summarized: string;
  readonly thinking: string;
  readonly thought: string;
  readonly copy: string;
  readonly copied: string;
  readonly download: (name: string) => string;
  readonly unnamedFile: string;
  readonly toolRunning: (tool: string) => string;
  readonly toolDone: (tool: string) => string;
  readonly toolFailed: (tool: string) => string;
  readonly toolDenied: (tool: string) => string;
  readonly asksPermission: string;
  readonly asksInput: string;
  readonly asksSignIn: string;
  readonly asksBudget: string;
  readonly details: string;
  readonly submit: string;
  readonly decline: string;
  readonly signIn: (host: string) => string;
  readonly optional: string;
  readonly choose: string;
  readonly yes: string;
  readonly allowed: string;
  readonly denied: string;
  readonly given: string;
  readonly declined: string;
  readonly closed: string;
  readonly missing: string;
  readonly notNumber: string;
  readonly notJson: string;
  readonly tooLarge: string;
  readonly tooMany: string;
  readonly unreachable: string;
  readonly noAccess: string;
  readonly gone: string;
  readonly busy: string;
  readonly failed: string;
  readonly reference: (requestId: string) => string;
}

/** The texts in English. */
export const englishTexts: ChatTexts = {
  title: 'Chat',
  open: 'Open chat',
  close: 'Close chat',
  unread: 'New answer',
  conversation: 'Conversation',
  empty: 'How can I help?',
  placeholder: 'Write a message',
  message: 'Message',
  send: 'Send',
  stop: 'Stop',
  attach: 'Attach files',
  remove: (name) => `Remove ${name}`,
  dropHere: 'Drop files to attach them',
  you: 'You:',
  agent: 'Answer:',
  working: 'Working on it',
  waiting: 'Waiting for your answer',
  answered: 'Answered',
  earlier: 'Show earlier messages',
  loading: 'Loading',
  toEnd: 'Go to the newest message',
  reconnecting: 'Connection lost. Trying again.',
  retry: 'Try again',
  discard: 'Discard',
  sending: 'Sending',
  notSent: 'Not sent.',
  stopped: 'Stopped',
  cutShort: 'The answer was cut off because it became too long.',
  declinedToAnswer: 'The model declined to answer.',
  summarized: 'Earlier messages were summarized',
  thinking: 'Thinking',
  thought: 'Thoughts',
  copy: 'Copy',
  copied: 'Copied',
  download: (name) => `Download ${name}`,
  unnamedFile: 'file',
  toolRunning: (tool) => `Using ${tool}`,
  toolDone: (tool) => `Used ${tool}`,
  toolFailed: (tool) => `${tool} failed`,
  toolDenied: (tool) => `${tool} was not allowed`,
  asksPermission: 'May I do this?',
  asksInput: 'A question for you',
  asksSignIn: 'Please sign in',
  asksBudget: 'A limit is reached',
  details: 'Details',
  submit: 'Send answer',
  decline: 'Decline',
  signIn: (host) => `Sign in at ${host}`,
  optional: 'optional',
  choose: 'Choose',
  yes: 'Yes',
  allowed: 'Allowed',
  denied: 'Not allowed',
  given: 'Answer sent',
  declined: 'Declined',
  closed: 'No longer needed',
  missing: 'Please fill this in.',
  notNumber: 'This must be a number.',
  notJson: 'This must be JSON.',
  tooLarge: 'That is too large to send. The limit is 5 MB for one message.',
  tooMany: 'A message can have at most ten files.',
  unreachable: 'The server cannot be reached.',
  noAccess: 'You no longer have access to this conversation. Reload the page to continue.',
  gone: 'This conversation does not exist any more.',
  busy: 'Too many messages are waiting. Try again in a moment.',
  failed: 'Something went wrong.',
  reference: (requestId) => `Reference: ${requestId}`,
};
