/** streams: the session stream opened through every protocol and client, as one kind of event. Called by the stream tests. */
export { openBatch, type StreamedEvent, streamOpeners } from './stream-openers.ts';
