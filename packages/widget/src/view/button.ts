import { type Children, type ElementNode, type ElementProps, h, withHooks } from '../dom/index.ts';

/** A button that does something at once. */
export const button = (props: ElementProps, children: Children, click: () => void): ElementNode =>
  withHooks(h('button', { type: 'button', ...props }, children), { on: { click: () => click() } });
