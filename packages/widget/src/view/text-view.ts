import { h, textOf, type ViewNode, withHooks } from '../dom/index.ts';
import { markdownNodes } from '../markdown/index.ts';
import type { ChatTexts } from '../texts.ts';

/** An answer in Markdown; code can be copied. */
export const markdownView = (texts: ChatTexts, text: string): ViewNode =>
  h(
    'div',
    { class: 'text', part: 'text' },
    markdownNodes(text).map((node) => withCopying(texts, node)),
  );

const withCopying = (texts: ChatTexts, node: ViewNode): ViewNode => {
  if (typeof node === 'string' || !('tag' in node)) return node;
  if (node.tag !== 'pre') return { ...node, children: node.children.map((child) => withCopying(texts, child)) };
  const language = node.attributes['data-language'];
  const bar = h('div', { class: 'code-bar' }, [
    h('span', {}, [typeof language === 'string' ? language : '']),
    copyButton(texts, () => textOf(node)),
  ]);
  const code = { ...node, attributes: { ...node.attributes, tabindex: 0, role: 'group' } };
  return h('div', { class: 'code', part: 'code' }, [bar, code]);
};

const COPIED_MS = 2_000;

/** Shows that it copied without the rest of the page being described again. */
const copyButton = (texts: ChatTexts, text: () => string): ViewNode =>
  withHooks(h('button', { type: 'button', class: 'quiet' }, [texts.copy]), {
    on: {
      click: ({ currentTarget }) => {
        const label = (currentTarget as HTMLButtonElement).firstChild;
        void copyText(text()).then((isCopied) => {
          if (!isCopied || !(label instanceof Text)) return;
          label.data = texts.copied;
          setTimeout(() => {
            label.data = texts.copy;
          }, COPIED_MS);
        });
      },
    },
  });

/** Pages without TLS have no clipboard of their own, and browsers may refuse it. */
const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
};
