import { type ElementNode, h, type ViewNode, withHooks } from '../dom/index.ts';
import { safeAddress } from '../markdown/index.ts';
import { type Block, blocksOf, type ChatFile, type ChatMessage, sizeText, type ToolUse } from '../model/index.ts';
import { type ChatState, mediaKey } from '../session/index.ts';
import type { ChatTexts } from '../texts.ts';
import { button } from './button.ts';
import type { ChatActions } from './chat-actions.ts';
import { type IconName, icon } from './icon.ts';
import { problemText } from './problem-text.ts';
import { type RequestForms, requestView } from './request-view.ts';
import { markdownView } from './text-view.ts';

/** What a message is shown with. */
export interface MessageContext {
  readonly texts: ChatTexts;
  readonly actions: ChatActions;
  readonly state: Pick<ChatState, 'answers' | 'media'>;
  readonly forms: RequestForms;
  /** Nothing follows it: a failed answer can be tried again. */
  readonly isLast: boolean;
}

/** A message with everything in it. */
export const messageView = (message: ChatMessage, context: MessageContext): ElementNode => {
  const { texts } = context;
  const role = message.role === 'user' ? 'user' : 'assistant';
  const shown = blocksOf(message);
  return h('article', { class: `message ${role}`, part: `message message-${role}` }, [
    h('span', { class: 'unseen' }, [role === 'user' ? texts.you : texts.agent]),
    ...(message.attachments.length > 0 ? [attachmentsView(message)] : []),
    ...shown.filter((block) => !isAttached(message, block)).map((block) => blockView(block, message, context)),
    ...endingView(message, texts),
    ...(message.outgoing === undefined ? [] : [outgoingView(message, context)]),
  ]);
};

/** What was attached in this page is shown from here, not from the server. */
const isAttached = (message: ChatMessage, block: Block): boolean =>
  block.kind === 'file' && message.attachments.length > 0;

const attachmentsView = ({ attachments }: ChatMessage): ViewNode =>
  h(
    'div',
    { class: 'files' },
    attachments.map(({ id, file, preview }) =>
      preview === ''
        ? h('span', { key: id, class: 'file' }, [icon('file'), ...fileLabel(file.name, file.size)])
        : h('img', { key: id, class: 'picture', src: preview, alt: file.name }),
    ),
  );

const fileLabel = (name: string, size: number): readonly ViewNode[] => [
  h('span', { class: 'file-name' }, [name]),
  h('span', { class: 'muted' }, [sizeText(size)]),
];

const blockView = (block: Block, message: ChatMessage, context: MessageContext): ViewNode => {
  const { texts, actions, state, forms } = context;
  switch (block.kind) {
    case 'text':
      return message.role === 'user'
        ? h('div', { class: 'text plain', part: 'text' }, [block.text])
        : markdownView(texts, block.text);
    case 'reasoning':
      return reasoningView(block, message, texts);
    case 'tool':
      return toolView(block.tool, texts);
    case 'request':
      return requestView(block.request, { texts, actions, forms, pending: state.answers.get(block.request.id) });
    case 'file':
      return fileView(block.partId, block.file, { message, context });
    case 'link':
      return linkView(block.address);
    case 'note':
      return h('p', { class: 'note' }, [texts.summarized]);
    case 'error':
      return errorView(block.text, message, context);
  }
};

const reasoningView = (
  block: { readonly key: string; readonly text: string },
  message: ChatMessage,
  texts: ChatTexts,
): ViewNode => {
  const isOpen = !message.isFinished && block.key === `${message.parts.length - 1}`;
  const title = isOpen ? texts.thinking : texts.thought;
  return h('details', { key: `reasoning-${block.key}`, class: 'reasoning', part: 'reasoning' }, [
    h('summary', {}, [h('span', { class: isOpen ? 'shimmer' : undefined }, [title])]),
    h('div', { class: 'plain' }, [block.text]),
  ]);
};

const TOOL_ICONS: Readonly<Record<ToolUse['state'], IconName>> = {
  running: 'spinner',
  done: 'check',
  failed: 'cross',
  denied: 'cross',
};

const toolView = ({ name, state }: ToolUse, texts: ChatTexts): ViewNode => {
  const words = {
    running: texts.toolRunning,
    done: texts.toolDone,
    failed: texts.toolFailed,
    denied: texts.toolDenied,
  };
  return h('p', { class: `tool ${state}`, part: 'tool' }, [
    icon(TOOL_ICONS[state]),
    h('span', {}, [words[state](name)]),
  ]);
};

const fileView = (
  partId: string,
  file: ChatFile,
  { message, context }: { readonly message: ChatMessage; readonly context: MessageContext },
): ViewNode => {
  const { texts, actions, state } = context;
  const name = file.filename || texts.unnamedFile;
  const part = { id: partId, mediaType: file.mediaType, filename: name };
  const media = state.media.get(mediaKey(message.id, partId));
  const key = `file-${partId}`;
  const isPicture = /^image\/(?:png|jpeg|gif|webp|avif)$/.test(file.mediaType);
  if (isPicture && media?.state === 'ready') {
    const picture = h('img', { class: 'picture', src: media.url, alt: name });
    return h('div', { key: `${key}-shown` }, [picture]);
  }
  const download = button(
    { class: 'file', title: texts.download(name), disabled: !message.isFinished || media?.state === 'loading' },
    [icon(media?.state === 'loading' ? 'spinner' : 'file'), ...fileLabel(name, file.sizeBytes)],
    () => actions.download(message.id, part),
  );
  const shown = h('div', { key: isPicture && message.isFinished ? `${key}-wanted` : key }, [download]);
  // Pictures are fetched when they come into the page, once the message is stored.
  const isWanted = isPicture && message.isFinished && media === undefined;
  return isWanted ? withHooks(shown, { made: () => actions.showImage(message.id, part) }) : shown;
};

const linkView = (address: string): ViewNode => {
  const href = safeAddress(address);
  if (href === undefined) return h('span', { class: 'file' }, [icon('file'), address]);
  return h('a', { class: 'file', href, target: '_blank', rel: 'noopener noreferrer' }, [icon('file'), address]);
};

const errorView = (text: string, message: ChatMessage, { texts, actions, isLast }: MessageContext): ViewNode =>
  h('div', { class: 'card error', part: 'error' }, [
    h('p', {}, [icon('alert'), h('span', {}, [text || texts.failed])]),
    isLast &&
      message.isFinished &&
      button({ class: 'plain-button' }, [texts.retry], () => actions.answerAgain(message.id)),
  ]);

const endingView = (message: ChatMessage, texts: ChatTexts): readonly ViewNode[] => {
  const words: Readonly<Record<string, string>> = {
    stopped: texts.stopped,
    limit: texts.cutShort,
    refused: texts.declinedToAnswer,
  };
  const text = message.isFinished && message.role === 'assistant' ? words[message.ending] : undefined;
  return text === undefined ? [] : [h('p', { class: 'note' }, [text])];
};

const outgoingView = ({ id, outgoing }: ChatMessage, { texts, actions }: MessageContext): ViewNode => {
  if (outgoing?.state !== 'failed') return h('p', { class: 'note sending' }, [texts.sending]);
  const why = outgoing.problem === undefined ? '' : problemText(texts, outgoing.problem);
  return h('div', { class: 'unsent', role: 'alert' }, [
    h('span', {}, [`${texts.notSent} ${why}`]),
    button({ class: 'quiet' }, [texts.retry], () => actions.sendAgain(id)),
    button({ class: 'quiet' }, [texts.discard], () => actions.discard(id)),
  ]);
};
