/**
 * widget: the chat that a website embeds, as the custom element `<svc-chat>`. `model/` and `markdown/` hold what a chat is and know no
 * page; `session/` talks to the server through @svc/client; `view/` describes what is seen; `dom/` makes the page so; `element/` is the
 * element itself. It keeps nothing: no storage, no cookie.
 */
import { SvcChatElement } from './element/index.ts';

export { SvcChatElement } from './element/index.ts';
export type { Problem } from './model/index.ts';
export type { TokenCallback } from './session/index.ts';
export { type ChatTexts, englishTexts } from './texts.ts';

declare global {
  interface HTMLElementTagNameMap {
    'svc-chat': SvcChatElement;
  }
}

/** Makes `<svc-chat>` known to the page; does nothing where it is known already, or where there is no page. */
export const defineSvcChat = (element: typeof SvcChatElement = SvcChatElement): void => {
  if (typeof customElements === 'undefined' || customElements.get('svc-chat') !== undefined) return;
  customElements.define('svc-chat', element);
};
