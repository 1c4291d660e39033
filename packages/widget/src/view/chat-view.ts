import { type ElementNode, h, memo, type ViewNode, withHooks } from '../dom/index.ts';
import { type ChatMessage, requestOf } from '../model/index.ts';
import type { ChatState } from '../session/index.ts';
import type { ChatTexts } from '../texts.ts';
import { button } from './button.ts';
import type { ChatActions } from './chat-actions.ts';
import { type ComposerState, composerView } from './composer-view.ts';
import { icon } from './icon.ts';
import { messageView } from './message-view.ts';
import { problemText } from './problem-text.ts';
import type { RequestForms } from './request-view.ts';

/** What the page and the reader decide. */
export interface PanelState {
  readonly heading: string;
  /** A button opens the chat over the page; else it fills its place in the page. */
  readonly isBubble: boolean;
  readonly isOpen: boolean;
  /** Something was answered while the chat was closed. */
  readonly hasUnread: boolean;
  /** The newest message is in view. */
  readonly isAtEnd: boolean;
  readonly composer: Omit<ComposerState, 'isBusy'>;
  readonly forms: RequestForms;
}

export interface ViewContext {
  readonly texts: ChatTexts;
  readonly actions: ChatActions;
}

/** The chat, and in bubble mode the button that opens it. */
export const chatView = (state: ChatState, panel: PanelState, context: ViewContext): readonly ViewNode[] => [
  ...(panel.isBubble ? [launcherView(panel, context)] : []),
  ...(panel.isOpen || !panel.isBubble ? [panelView(state, panel, context)] : []),
];

const launcherView = ({ isOpen, hasUnread }: PanelState, { texts, actions }: ViewContext): ViewNode =>
  button(
    {
      key: 'launcher',
      class: 'launcher',
      part: 'launcher',
      'aria-expanded': isOpen ? 'true' : 'false',
      'aria-label': `${isOpen ? texts.close : texts.open}${hasUnread ? `. ${texts.unread}` : ''}`,
    },
    [icon(isOpen ? 'down' : 'chat'), hasUnread && h('span', { class: 'unread', part: 'unread' })],
    isOpen ? actions.closePanel : actions.openPanel,
  );

const panelView = (state: ChatState, panel: PanelState, context: ViewContext): ViewNode => {
  const { texts, actions } = context;
  const heading = panel.heading || texts.title;
  const props = panel.isBubble
    ? { role: 'dialog', class: 'panel floating', 'aria-label': heading }
    : { role: 'region', class: 'panel', 'aria-label': heading };
  const node = h('div', { ...props, key: 'panel', part: 'panel' }, [
    (panel.isBubble || panel.heading !== '') && headerView(heading, panel, context),
    !state.isConnected &&
      h('p', { key: 'connection', class: 'connection', role: 'status' }, [icon('spinner'), texts.reconnecting]),
    state.phase === 'failed' ? failedView(state, context) : logView(state, panel, context),
    state.notice !== undefined &&
      h('p', { key: 'notice', class: 'problem notice', role: 'alert' }, [problemText(texts, state.notice)]),
    h('p', { key: 'status', class: 'unseen', role: 'status' }, [statusText(state, texts)]),
    state.phase !== 'failed' &&
      composerView({ ...panel.composer, isBusy: state.conversation.openTurns.length > 0 }, texts, actions),
  ]);
  return withHooks(node, { on: droppingOn(actions) });
};

const droppingOn = (actions: ChatActions): Readonly<Record<string, (event: Event) => void>> => ({
  keydown: (event) => {
    if ((event as KeyboardEvent).key === 'Escape') actions.closePanel();
  },
  dragover: (event) => {
    event.preventDefault();
    actions.dragging(true);
  },
  dragleave: (event) => {
    const { currentTarget, relatedTarget } = event as DragEvent;
    if (!(currentTarget as Element).contains(relatedTarget as Node | null)) actions.dragging(false);
  },
  drop: (event) => {
    event.preventDefault();
    actions.dragging(false);
    actions.attach([...((event as DragEvent).dataTransfer?.files ?? [])]);
  },
});

const headerView = (heading: string, { isBubble }: PanelState, { texts, actions }: ViewContext): ViewNode =>
  h('header', { key: 'header', class: 'header', part: 'header' }, [
    h('strong', { class: 'heading-text', part: 'heading' }, [heading]),
    isBubble &&
      button(
        { class: 'icon-button', 'aria-label': texts.close, title: texts.close },
        [icon('close')],
        actions.closePanel,
      ),
  ]);

const failedView = ({ problem }: ChatState, { texts, actions }: ViewContext): ViewNode =>
  h('div', { key: 'failed', class: 'failed', role: 'alert' }, [
    icon('alert'),
    h('p', {}, [problem === undefined ? texts.failed : problemText(texts, problem)]),
    problem !== undefined &&
      problem.requestId !== '' &&
      h('p', { class: 'muted' }, [texts.reference(problem.requestId)]),
    button({ class: 'plain-button' }, [texts.retry], actions.reload),
  ]);

const logView = (state: ChatState, panel: PanelState, context: ViewContext): ViewNode => {
  const { texts, actions } = context;
  const { messages } = state.conversation;
  const isEmpty = messages.length === 0 && state.phase === 'ready';
  const log = h(
    'div',
    {
      class: 'log',
      part: 'log',
      role: 'log',
      tabindex: 0,
      'aria-label': texts.conversation,
      // Read out when it is complete, not word by word.
      'aria-busy': isWriting(state) ? 'true' : 'false',
    },
    [
      state.hasEarlier &&
        button(
          { key: 'earlier', class: 'quiet earlier', disabled: state.isLoadingEarlier },
          [texts.earlier],
          actions.loadEarlier,
        ),
      state.phase === 'loading' && h('p', { key: 'loading', class: 'note' }, [icon('spinner'), texts.loading]),
      isEmpty && h('div', { key: 'empty', class: 'empty', part: 'empty' }, [icon('chat'), h('p', {}, [texts.empty])]),
      ...messages.map((message, index) =>
        memoMessage(message, state, { panel, context, isLast: index === messages.length - 1 }),
      ),
      activityView(state, texts),
    ],
  );
  return h('div', { key: 'body', class: 'body' }, [
    log,
    !panel.isAtEnd &&
      button(
        { key: 'to-end', class: 'icon-button round to-end', 'aria-label': texts.toEnd, title: texts.toEnd },
        [icon('down')],
        actions.toEnd,
      ),
  ]);
};

/** A message is described again only when something that it shows changed. */
const memoMessage = (
  message: ChatMessage,
  state: ChatState,
  { panel, context, isLast }: { readonly panel: PanelState; readonly context: ViewContext; readonly isLast: boolean },
): ViewNode => {
  const { texts, actions } = context;
  const asks = message.parts.some(({ type }) => type === 'request_permission');
  const hasFiles = message.parts.some(({ file }) => file !== undefined);
  const inputs = [message, texts, isLast, asks && state.answers, asks && panel.forms, hasFiles && state.media];
  return memo(message.id, inputs, () => messageView(message, { texts, actions, state, forms: panel.forms, isLast }));
};

const isWriting = ({ conversation }: ChatState): boolean => conversation.openTurns.length > 0;

/** Requests of the newest answer that wait for a person. */
const isAsking = ({ conversation: { messages } }: ChatState): boolean => {
  const last = messages.at(-1);
  if (last === undefined || last.isFinished) return false;
  return last.parts.some((part) => part.type === 'request_permission' && requestOf(last, part).state === 'open');
};

const activityView = (state: ChatState, texts: ChatTexts): ElementNode | undefined => {
  if (!isWriting(state) || isAsking(state)) return undefined;
  const dots = h('span', { class: 'dots', 'aria-hidden': 'true' }, [h('i'), h('i'), h('i')]);
  return h('div', { key: 'activity', class: 'activity', part: 'activity', role: 'img', 'aria-label': texts.working }, [
    dots,
  ]);
};

const statusText = (state: ChatState, texts: ChatTexts): string => {
  if (isAsking(state)) return texts.waiting;
  if (isWriting(state)) return texts.working;
  return state.conversation.messages.at(-1)?.role === 'assistant' ? texts.answered : '';
};
