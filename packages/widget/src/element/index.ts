/**
 * element: the custom element `<svc-chat>` and the panel in it: the only folder that holds on to things of the page.
 */
export { SvcChatElement } from './svc-chat-element.ts';
