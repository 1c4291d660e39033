import { defineSvcChat, SvcChatElement } from './index.ts';

/** The program of one script tag: the element talks to the server that the script came from, unless it names another. */
const source = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : '';
if (source !== '') SvcChatElement.defaultServer = new URL(source).origin;
defineSvcChat();
