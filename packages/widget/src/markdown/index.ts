/**
 * markdown: text of agents as descriptions of elements that can do no harm. Knows no page and no chat.
 */
export { safeAddress } from './link.ts';
export { markdownNodes } from './markdown.ts';
