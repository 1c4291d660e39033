import { h, type ViewNode, withHooks } from '../dom/index.ts';
import type { Attachment } from '../model/index.ts';
import type { ChatTexts } from '../texts.ts';
import { button } from './button.ts';
import type { ChatActions } from './chat-actions.ts';
import { icon } from './icon.ts';

export interface ComposerState {
  /** What is written; a field that is made again begins with it. */
  readonly draft: string;
  readonly attachments: readonly Attachment[];
  /** There is something to send. */
  readonly isFilled: boolean;
  /** A turn is running, which can be stopped. */
  readonly isBusy: boolean;
  /** Files are being dragged over the chat. */
  readonly isDragging: boolean;
  readonly warning: string;
}

/** Where a person writes. The field keeps what is written as long as it is in the page. */
export const composerView = (state: ComposerState, texts: ChatTexts, actions: ChatActions): ViewNode => {
  const { attachments, warning, isDragging } = state;
  const form = h('form', { key: 'composer', class: `composer${isDragging ? ' dragging' : ''}`, part: 'composer' }, [
    warning !== '' && h('p', { class: 'problem', role: 'alert' }, [warning]),
    attachments.length > 0 &&
      h(
        'div',
        { class: 'files' },
        attachments.map((each) => chipView(each, texts, actions)),
      ),
    isDragging && h('p', { class: 'drop' }, [texts.dropHere]),
    h('div', { key: 'line', class: 'line' }, [
      fileInput(actions),
      attachButton(texts),
      fieldView(state.draft, texts, actions),
      ...sendingView(state, texts, actions),
    ]),
  ]);
  const submit = (event: Event): void => {
    event.preventDefault();
    actions.submit();
  };
  return withHooks(form, { on: { submit } });
};

const chipView = ({ id, file, preview }: Attachment, texts: ChatTexts, actions: ChatActions): ViewNode =>
  h('span', { key: id, class: 'chip' }, [
    preview === '' ? icon('file') : h('img', { src: preview, alt: '' }),
    h('span', { class: 'file-name' }, [file.name]),
    button({ class: 'icon-button small', 'aria-label': texts.remove(file.name) }, [icon('close')], () =>
      actions.detach(id),
    ),
  ]);

const fileInput = (actions: ChatActions): ViewNode =>
  withHooks(
    h('input', {
      key: 'files',
      type: 'file',
      class: 'file-input',
      multiple: true,
      tabindex: -1,
      'aria-hidden': 'true',
    }),
    {
      on: {
        change: ({ currentTarget }) => {
          const input = currentTarget as HTMLInputElement;
          actions.attach([...(input.files ?? [])]);
          input.value = '';
        },
      },
    },
  );

const attachButton = (texts: ChatTexts): ViewNode =>
  withHooks(
    h(
      'button',
      { key: 'attach', type: 'button', class: 'icon-button', 'aria-label': texts.attach, title: texts.attach },
      [icon('attach')],
    ),
    {
      on: {
        click: ({ currentTarget }) => {
          const input = (currentTarget as Element).parentElement?.querySelector<HTMLInputElement>('.file-input');
          input?.click();
        },
      },
    },
  );

const fieldView = (draft: string, texts: ChatTexts, actions: ChatActions): ViewNode =>
  withHooks(
    h('textarea', {
      key: 'field',
      class: 'write',
      part: 'input',
      rows: 1,
      placeholder: texts.placeholder,
      'aria-label': texts.message,
    }),
    {
      made: (element) => {
        (element as HTMLTextAreaElement).value = draft;
      },
      on: {
        input: ({ currentTarget }) => actions.typed((currentTarget as HTMLTextAreaElement).value),
        keydown: (event) => {
          const { key, shiftKey, isComposing } = event as KeyboardEvent;
          if (key !== 'Enter' || shiftKey || isComposing) return;
          event.preventDefault();
          actions.submit();
        },
        paste: (event) => {
          const files = [...((event as ClipboardEvent).clipboardData?.files ?? [])];
          if (files.length === 0) return;
          event.preventDefault();
          actions.attach(files);
        },
      },
    },
  );

/** While the agent works it can be stopped; what is written meanwhile can be sent as well, and waits for its turn. */
const sendingView = (
  { isBusy, isFilled }: ComposerState,
  texts: ChatTexts,
  actions: ChatActions,
): readonly ViewNode[] => {
  const stop = button(
    { key: 'stop', class: 'icon-button round stop', 'aria-label': texts.stop, title: texts.stop, part: 'stop' },
    [icon('stop')],
    actions.stop,
  );
  const send = h(
    'button',
    {
      key: 'send',
      type: 'submit',
      class: 'icon-button round send',
      disabled: !isFilled,
      'aria-label': texts.send,
      title: texts.send,
      part: 'send',
    },
    [icon('send')],
  );
  return [...(isBusy ? [stop] : []), ...(isBusy && !isFilled ? [] : [send])];
};
