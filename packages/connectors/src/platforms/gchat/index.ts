/**
 * gchat: Google Chat as a platform, by a Chat app with an HTTP endpoint and a service account. Google sends events in two forms, one for
 * Chat apps and one for add-ons of Google Workspace; everything behind `gchat-event` knows only the second, which the adapter reads.
 */
export { gchat } from './gchat.ts';
