import { type CSSProperties, type ReactElement, useEffect, useRef } from 'react';
import { type ChatTexts, defineSvcChat, type Problem, type SvcChatElement, type TokenCallback } from './index.ts';

export interface SvcChatProps {
  /** Address of the svc server. */
  readonly server: string;
  /** A token for the conversation; or `getToken`. */
  readonly token?: string;
  /** Gives a token whenever one is needed. */
  readonly getToken?: TokenCallback;
  /** Where the conversation is, as far as the token does not name it. */
  readonly namespace?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly heading?: string;
  readonly mode?: 'inline' | 'bubble';
  /** In a bubble: whether the chat is open. Left out, the reader decides. */
  readonly open?: boolean;
  readonly theme?: 'light' | 'dark';
  readonly texts?: Partial<ChatTexts>;
  readonly className?: string;
  readonly style?: CSSProperties;
  /** The reader, or the page, opened or closed the chat. */
  readonly onOpenChange?: (isOpen: boolean) => void;
  /** An answer is complete. */
  readonly onMessage?: (messageId: string) => void;
  /** The conversation cannot be shown. */
  readonly onError?: (problem: Problem) => void;
}

const ATTRIBUTES = ['server', 'token', 'namespace', 'agent', 'session', 'heading', 'mode', 'theme'] as const;

/** `<svc-chat>` for React 18 and newer. */
export const SvcChat = (props: SvcChatProps): ReactElement => {
  const place = useRef<HTMLDivElement>(null);
  const element = useRef<SvcChatElement>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    defineSvcChat();
    const chat = document.createElement('svc-chat');
    apply(chat, latest.current);
    const stop = listen(chat, latest);
    element.current = chat;
    place.current?.append(chat);
    return () => {
      stop();
      chat.remove();
      element.current = null;
    };
  }, []);
  useEffect(() => {
    if (element.current !== null) apply(element.current, props);
  });
  return <div ref={place} className={props.className} style={props.style} />;
};

const apply = (chat: SvcChatElement, props: SvcChatProps): void => {
  for (const name of ATTRIBUTES) {
    const value = props[name];
    if (value === undefined) chat.removeAttribute(name);
    else if (chat.getAttribute(name) !== value) chat.setAttribute(name, value);
  }
  if (props.texts !== undefined) chat.texts = props.texts;
  if (props.open !== undefined && chat.open !== props.open) chat.open = props.open;
  chat.getToken = props.getToken;
};

const listen = (chat: SvcChatElement, props: { readonly current: SvcChatProps }): (() => void) => {
  const listeners: Readonly<Record<string, (event: Event) => void>> = {
    'svc-open': () => props.current.onOpenChange?.(true),
    'svc-close': () => props.current.onOpenChange?.(false),
    'svc-message': (event) => props.current.onMessage?.((event as CustomEvent<{ messageId: string }>).detail.messageId),
    'svc-error': (event) => props.current.onError?.((event as CustomEvent<Problem>).detail),
  };
  for (const [name, listener] of Object.entries(listeners)) chat.addEventListener(name, listener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) chat.removeEventListener(name, listener);
  };
};
