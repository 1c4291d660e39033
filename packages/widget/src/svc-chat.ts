import { defineSvcChat, SvcChatElement } from './index.ts';

const source = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : '';

/** The program of one script tag: its elements talk to the server that the script came from, unless they name another. */
class ScriptedElement extends SvcChatElement {
  protected override get ownServer(): string {
    return source === '' ? super.ownServer : new URL(source).origin;
  }
}

defineSvcChat(ScriptedElement);
