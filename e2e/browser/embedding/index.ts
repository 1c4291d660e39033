/**
 * embedding: a website with the chat widget in it, and a window of a browser on that site. Called by tests of the widget.
 */
export { ChatSite } from './chat-site.ts';
export { ChatWindow } from './chat-window.ts';
