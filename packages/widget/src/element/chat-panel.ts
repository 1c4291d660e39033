import { type ClientEnvironment, createPlainClient, defaultEnvironment } from '@svc/client/plain';
import { patchChildren } from '../dom/index.ts';
import { type Attachment, type FieldValue, fitting, formData, formFields } from '../model/index.ts';
import {
  ChatCalls,
  ChatController,
  type ChatNames,
  type ChatState,
  initialState,
  type TokenCallback,
  TokenSource,
} from '../session/index.ts';
import type { ChatTexts } from '../texts.ts';
import { type ChatActions, chatView, type FilledForm, type MediaPart, type PanelState } from '../view/index.ts';
import { attachmentOf, dataUrl, objectUrl, saveAs } from './files.ts';
import { ScrollKeeper } from './scroll-keeper.ts';

/** How a page set up the chat. */
export interface ChatSettings {
  readonly server: string;
  readonly names: ChatNames;
  readonly token: string | undefined;
  readonly getToken: TokenCallback | undefined;
  readonly heading: string;
  readonly isBubble: boolean;
  readonly texts: ChatTexts;
}

export interface PanelHost {
  readonly root: ShadowRoot;
  readonly settings: () => ChatSettings;
  readonly isOpen: () => boolean;
  readonly setOpen: (isOpen: boolean) => void;
  /** Tells the page what happened. */
  readonly report: (name: 'message' | 'error', detail: unknown) => void;
}

/** A message is tried for about ten seconds, which a restart of the server takes at most; after that the reader decides. */
const SENDING_TRIES = 8;

const emptyForm: FilledForm = { values: new Map(), problems: new Map() };

/** The chat in the page: what the reader does and sees. The conversation itself is the controller's. */
export class ChatPanel {
  readonly #host: PanelHost;
  readonly #environment: ClientEnvironment = defaultEnvironment();
  readonly #scroll = new ScrollKeeper();
  readonly #actions: ChatActions;
  readonly #urls = new Set<string>();
  #controller: ChatController | undefined;
  #state: ChatState = initialState;
  #attachments: readonly Attachment[] = [];
  #forms = new Map<string, FilledForm>();
  #draft = '';
  #warning = '';
  #isDragging = false;
  #hasUnread = false;
  #frame: number | undefined;

  constructor(host: PanelHost) {
    this.#host = host;
    this.#actions = this.#makeActions();
  }

  /** Follows the conversation, unless it does so already. */
  connect(): void {
    if (this.#controller !== undefined) return;
    const { server, names, token, getToken } = this.#host.settings();
    const tokens = new TokenSource({ token, getToken, nowMs: Date.now });
    const access = { baseUrl: server, ...(tokens.isUsed ? { token: () => tokens.current() } : {}) };
    const client = createPlainClient({ ...access, retry: { tries: SENDING_TRIES } });
    const reader = createPlainClient({ ...access, retry: { tries: 1 } });
    const controller = new ChatController({
      calls: new ChatCalls({ client, reader, tokens, names }),
      environment: this.#environment,
      renewAccess: () => {
        tokens.drop();
        return tokens.canRenew;
      },
      dataUrl,
      objectUrl: (bytes, mediaType) => this.#kept(objectUrl(bytes, mediaType)),
      onChange: (state) => {
        if (controller === this.#controller) this.#take(state);
      },
    });
    this.#controller = controller;
    void controller.open();
  }

  /** Ends following; what was shown is forgotten, and nothing more is shown until something asks for it. */
  disconnect(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#controller?.close();
    this.#controller = undefined;
    this.#state = initialState;
    for (const url of this.#urls) URL.revokeObjectURL(url);
    this.#urls.clear();
    this.#attachments = [];
  }

  /** The network is back. */
  wake(): void {
    this.#controller?.wake();
  }

  /** Shows what changed, with the next picture that the browser paints. */
  refresh(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.render();
    });
  }

  /** Shows what changed, now. */
  render(): void {
    const { texts, heading, isBubble } = this.#host.settings();
    const isOpen = this.#host.isOpen();
    if (isOpen) this.#hasUnread = false;
    const panel: PanelState = {
      heading,
      isBubble,
      isOpen,
      hasUnread: this.#hasUnread,
      isAtEnd: this.#scroll.isAtEnd,
      forms: this.#forms,
      composer: {
        draft: this.#draft,
        attachments: this.#attachments,
        isFilled: this.#draft.trim() !== '' || this.#attachments.length > 0,
        isDragging: this.#isDragging,
        warning: this.#warning,
      },
    };
    patchChildren(this.#host.root, chatView(this.#state, panel, { texts, actions: this.#actions }));
    this.#settle();
  }

  /** Puts the cursor where a person writes. */
  focus(): void {
    this.#field?.focus();
  }

  #settle(): void {
    const log = this.#host.root.querySelector('.log');
    if (log === null) return;
    log.addEventListener('scroll', this.#scrolled);
    // Pictures take their place once they are loaded.
    log.addEventListener('load', this.#loaded, true);
    this.#scroll.settle(log, this.#state.conversation.messages[0]?.id);
  }

  readonly #scrolled = ({ currentTarget }: Event): void => {
    if (this.#scroll.moved(currentTarget as Element)) this.refresh();
  };

  readonly #loaded = (): void => this.#settle();

  get #field(): HTMLTextAreaElement | null {
    return this.#host.root.querySelector<HTMLTextAreaElement>('.write');
  }

  #kept(url: string): string {
    this.#urls.add(url);
    return url;
  }

  #take(state: ChatState): void {
    const before = this.#state;
    this.#state = state;
    const isEnd = state.conversation.openTurns.length < before.conversation.openTurns.length;
    if (isEnd && !this.#host.isOpen()) this.#hasUnread = true;
    if (isEnd) this.#host.report('message', { messageId: state.conversation.messages.at(-1)?.id });
    if (state.problem !== undefined && state.problem !== before.problem) this.#host.report('error', state.problem);
    this.refresh();
  }

  #makeActions(): ChatActions {
    return {
      openPanel: () => this.#host.setOpen(true),
      closePanel: () => this.#host.setOpen(false),
      reload: () => {
        this.disconnect();
        this.connect();
        this.refresh();
      },
      loadEarlier: () => void this.#controller?.loadEarlier(),
      toEnd: () => {
        this.#scroll.follow();
        this.refresh();
        this.focus();
      },
      submit: () => this.#submit(),
      stop: () => {
        void this.#controller?.stop();
        this.focus();
      },
      typed: (text) => this.#typed(text),
      attach: (files) => this.#attach(files),
      detach: (id) => this.#detach(id),
      dragging: (isOver) => {
        if (this.#isDragging === isOver) return;
        this.#isDragging = isOver;
        this.refresh();
      },
      sendAgain: (id) => void this.#controller?.sendAgain(id),
      discard: (id) => this.#controller?.discard(id),
      answerAgain: (messageId) => void this.#controller?.answerAgain(messageId),
      answer: (requestId, answer) => this.#answered(this.#controller?.answer(requestId, answer)),
      fill: (requestId, field, value) => this.#fill(requestId, field, value),
      submitForm: (requestId, schema) => this.#submitForm(requestId, schema),
      showImage: (messageId, part) => void this.#controller?.fetchMedia(messageId, part),
      download: (messageId, part) => void this.#download(messageId, part),
    };
  }

  #typed(text: string): void {
    const wasFilled = this.#draft.trim() !== '';
    this.#draft = text;
    if (wasFilled !== (text.trim() !== '') || this.#warning !== '') {
      this.#warning = '';
      this.refresh();
    }
  }

  #submit(): void {
    const text = this.#draft.trim();
    const attachments = this.#attachments;
    if (this.#controller === undefined || (text === '' && attachments.length === 0)) return;
    this.#draft = '';
    this.#attachments = [];
    this.#warning = '';
    const field = this.#field;
    if (field !== null) field.value = '';
    this.#scroll.follow();
    void this.#controller.send(text, attachments);
    this.focus();
  }

  #attach(files: readonly File[]): void {
    const present = this.#attachments.map(({ file }) => file);
    const { accepted, refused } = fitting(present, files);
    const added = accepted.map((file) => attachmentOf(file, this.#environment.uniqueText()));
    for (const { preview } of added) if (preview !== '') this.#kept(preview);
    this.#attachments = [...this.#attachments, ...added];
    const { texts } = this.#host.settings();
    this.#warning = refused === undefined ? '' : { size: texts.tooLarge, count: texts.tooMany }[refused];
    this.refresh();
    this.focus();
  }

  #detach(id: string): void {
    this.#attachments = this.#attachments.filter((each) => each.id !== id);
    this.#warning = '';
    this.refresh();
    this.focus();
  }

  /** The field shows its value itself, so nothing is described again. */
  #fill(requestId: string, field: string, value: FieldValue): void {
    const { values, problems } = this.#forms.get(requestId) ?? emptyForm;
    this.#forms.set(requestId, { values: new Map(values).set(field, value), problems });
  }

  #submitForm(requestId: string, schema: unknown): void {
    const { values } = this.#forms.get(requestId) ?? emptyForm;
    const { data, problems } = formData(formFields(schema), values);
    this.#forms = new Map(this.#forms).set(requestId, { values, problems });
    if (problems.size === 0) return this.#answered(this.#controller?.answer(requestId, { allow: true, data }));
    this.render();
    this.#host.root.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }

  /** The card that had the focus goes once its answer is there. */
  #answered(answer: Promise<void> | undefined): void {
    void answer;
    this.#scroll.follow();
    this.focus();
  }

  async #download(messageId: string, part: MediaPart): Promise<void> {
    const url = (await this.#controller?.fetchMedia(messageId, part)) ?? '';
    if (url !== '') saveAs(url, part.filename);
  }
}
