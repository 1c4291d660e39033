import type { TokenCallback } from '../session/index.ts';
import { type ChatTexts, englishTexts } from '../texts.ts';
import { chatStyles } from '../view/index.ts';
import { ChatPanel } from './chat-panel.ts';

/** Attributes that say where the conversation is: with another value it is another one. */
const PLACE = ['server', 'namespace', 'agent', 'session', 'token'] as const;
const LOOK = ['heading', 'mode', 'open'] as const;

/** Where there is no page, such as on a server that renders one, the class can be loaded and does nothing. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * `<svc-chat>`: a conversation with an agent, in a page of its own choosing. Attributes: `server` (address of the svc server), `token`,
 * and where the token does not name them `namespace`, `agent`, `session`; `heading`, `mode` (`inline` or `bubble`), `open`, `theme`
 * (`light`, `dark`; else as the reader's system). Events: `svc-open`, `svc-close`, `svc-message` when an answer is complete, `svc-error`
 * when the conversation cannot be shown.
 */
export class SvcChatElement extends Base {
  static readonly observedAttributes = [...PLACE, ...LOOK];
  #panel: ChatPanel | undefined;
  #getToken: TokenCallback | undefined;
  #texts: ChatTexts = englishTexts;

  /** Gives a token whenever one is needed; asked again before its end, and when the server refuses it. Never stored. */
  get getToken(): TokenCallback | undefined {
    return this.#getToken;
  }
  set getToken(callback: TokenCallback | undefined) {
    if (callback === this.#getToken) return;
    const wasGiven = this.#getToken !== undefined;
    this.#getToken = callback;
    if (!wasGiven || callback === undefined) this.#restart();
  }

  /** Texts that replace those of the chat, all or some. */
  get texts(): ChatTexts {
    return this.#texts;
  }
  set texts(texts: Partial<ChatTexts>) {
    this.#texts = { ...englishTexts, ...texts };
    this.#panel?.refresh();
  }

  /** Whether the chat is open; in the page, not in a bubble, it always is. */
  get open(): boolean {
    return this.hasAttribute('open') || this.getAttribute('mode') !== 'bubble';
  }
  set open(isOpen: boolean) {
    this.toggleAttribute('open', isOpen);
  }

  /** The server where no attribute names one. */
  protected get ownServer(): string {
    return location.origin;
  }

  connectedCallback(): void {
    this.#takeEarlyProperties();
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [styleSheet()];
    // An element that was moved begins again: fields of before would show words that the new panel does not have.
    root.replaceChildren();
    this.#panel = new ChatPanel({
      root,
      settings: () => this.#settings(),
      isOpen: () => this.open,
      setOpen: (isOpen) => this.#setOpen(isOpen),
      report: (name, detail) => this.#tell(`svc-${name}`, detail),
    });
    window.addEventListener('online', this.#online);
    if (this.open && this.#hasAccess()) this.#panel.connect();
    this.#panel.render();
  }

  disconnectedCallback(): void {
    window.removeEventListener('online', this.#online);
    this.#panel?.disconnect();
    this.#panel = undefined;
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (this.#panel === undefined || before === after) return;
    if ((PLACE as readonly string[]).includes(name)) this.#restart();
    else this.#connectIfOpen();
    if (name === 'open') this.#tell(after === null ? 'svc-close' : 'svc-open', undefined);
    this.#panel.refresh();
  }

  /** Puts the cursor where a person writes. */
  override focus(): void {
    this.#panel?.focus();
  }

  readonly #online = (): void => this.#panel?.wake();

  /** What a page set on the element before it was one. */
  #takeEarlyProperties(): void {
    for (const name of ['getToken', 'texts', 'open'] as const) {
      if (!Object.hasOwn(this, name)) continue;
      const value: unknown = this[name];
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }

  #settings(): ReturnType<ConstructorParameters<typeof ChatPanel>[0]['settings']> {
    return {
      server: this.getAttribute('server') ?? this.ownServer,
      names: {
        namespace: this.getAttribute('namespace') ?? '',
        agent: this.getAttribute('agent') ?? '',
        session: this.getAttribute('session') ?? '',
      },
      token: this.getAttribute('token') ?? undefined,
      // The function that is set by then: frameworks replace it with every change of a page.
      getToken: this.#getToken === undefined ? undefined : () => this.#getToken?.() ?? '',
      heading: this.getAttribute('heading') ?? '',
      isBubble: this.getAttribute('mode') === 'bubble',
      texts: this.#texts,
    };
  }

  /** A page that sets things one after another is not asked for what it is about to give. */
  #hasAccess(): boolean {
    return this.#getToken !== undefined || this.hasAttribute('token') || this.hasAttribute('session');
  }

  #restart(): void {
    this.#panel?.disconnect();
    this.#connectIfOpen();
  }

  #connectIfOpen(): void {
    if (this.open && this.#hasAccess()) this.#panel?.connect();
    this.#panel?.refresh();
  }

  #setOpen(isOpen: boolean): void {
    if (this.getAttribute('mode') !== 'bubble' || this.hasAttribute('open') === isOpen) return;
    this.open = isOpen;
    this.#panel?.render();
    if (isOpen) this.#panel?.focus();
    else this.shadowRoot?.querySelector<HTMLElement>('.launcher')?.focus();
  }

  #tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

/** Made with the first element: a sheet of styles that needs no permission of the page's Content-Security-Policy. */
const styleSheet = (): CSSStyleSheet => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(chatStyles);
  return sheet;
};
