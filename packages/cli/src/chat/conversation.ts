import { type Client, isSvcError, type Session } from '@svc/client';
import { CommandFailure, explain } from '../failure.ts';
import { type Host, interrupt, type LineTerminal } from '../host.ts';
import type { Style } from '../terminal/index.ts';
import { type Attachment, attachmentOf } from './attachments.ts';
import { type ChatPlace, rememberChat } from './chat-memory.ts';
import { type FollowParts, followTurn } from './follow-turn.ts';
import { ReplyRenderer } from './reply-renderer.ts';

interface ConversationParts {
  readonly host: Host;
  readonly client: Client;
  readonly place: ChatPlace;
  readonly terminal: LineTerminal;
  readonly style: Style;
  readonly note: (text: string) => void;
  readonly showReasoning: boolean;
}

const HELP = `/new             start a new conversation
/session ID      continue with another one
/attach PATH     send a file with the next message
/stop            stop the answer that is being written
/clear           forget everything said in this conversation
/quit            leave; so does Ctrl-D
Ctrl-C stops an answer; pressed when nothing is written, twice, it leaves.`;

const promptOf = (style: Style): string => style.bold('you> ');

/** The conversation at a terminal: reads a line, shows the answer, until the person leaves. */
export class Conversation {
  readonly #parts: ConversationParts;
  #session: Session;
  #attachments: Attachment[] = [];
  /** Lines typed while an answer was being written. */
  readonly #typedAhead: string[] = [];

  constructor(parts: ConversationParts, session: Session) {
    this.#parts = parts;
    this.#session = session;
  }

  /** Returns when the person leaves. */
  async run(): Promise<void> {
    await this.#catchUp();
    let isLeaving = false;
    while (true) {
      const line = this.#ahead() ?? (await this.#parts.terminal.ask(promptOf(this.#parts.style)));
      if (line === undefined) return;
      if (line === interrupt) {
        if (isLeaving) return;
        isLeaving = true;
        this.#parts.note('Ctrl-C again leaves');
        continue;
      }
      isLeaving = false;
      if (line.trim() === '') continue;
      if (await this.#guarded(() => this.#take(line.trim()))) return;
    }
  }

  /** The next line that was typed during an answer, shown as if it were typed now. */
  #ahead(): string | undefined {
    const line = this.#typedAhead.shift();
    const { host, style } = this.#parts;
    if (line !== undefined) host.stdout.write(`${promptOf(style)}${line}\n`);
    return line;
  }

  /** Failures of one line are explained, and the conversation continues. */
  async #guarded(work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      const explanation = explain(error);
      if (explanation === undefined) throw error;
      this.#parts.note(this.#parts.style.red(explanation.lines.join('\n')));
      if (explanation.hint !== undefined) this.#parts.note(`  ${explanation.hint}`);
      return false;
    }
  }

  /** Returns true to leave. */
  async #take(line: string): Promise<boolean> {
    if (!line.startsWith('/')) {
      await this.#say(line);
      return false;
    }
    const [word = '', ...rest] = line.split(/\s+/);
    return this.#command(word, rest.join(' '));
  }

  async #command(word: string, argument: string): Promise<boolean> {
    const { note, host } = this.#parts;
    switch (word) {
      case '/quit':
      case '/exit':
        return true;
      case '/help':
        note(HELP);
        return false;
      case '/stop':
        note((await this.#session.stop()).length === 0 ? 'nothing is running' : 'stopped');
        return false;
      case '/clear':
        await this.#session.clear({ stop: true });
        note('cleared');
        return false;
      case '/new':
        await this.#enter(
          await this.#parts.client.createSession({ ns: this.#parts.place.namespace, agent: this.#parts.place.agent }),
        );
        return false;
      case '/session':
        if (argument === '') throw new CommandFailure('which session?', { hint: '`svc session list` shows them' });
        await this.#enter(this.#parts.client.session({ ...this.#session.key, sessionId: argument }));
        return false;
      case '/attach':
        if (argument === '') throw new CommandFailure('which file?', { hint: '/attach PATH' });
        this.#attachments.push(attachmentOf(host, argument));
        note(`${argument} goes with the next message`);
        return false;
      default:
        throw new CommandFailure(`there is no command ${word}`, { hint: '/help lists them' });
    }
  }

  async #enter(session: Session): Promise<void> {
    await session.get(-1);
    this.#session = session;
    this.#parts.note(`conversation ${session.id}`);
    rememberChat(this.#parts.host, this.#parts.place, session.id);
    await this.#catchUp();
  }

  /** A turn that is already running, started by an earlier run of this program or by someone else, is shown first. */
  async #catchUp(): Promise<void> {
    const { activeTurnId } = await this.#session.get(-1);
    if (activeTurnId !== '') await this.#follow(activeTurnId);
  }

  async #say(text: string): Promise<void> {
    const parts = this.#attachments;
    const { turnId } = await this.#session.send(text, { parts });
    this.#attachments = [];
    await this.#follow(turnId);
  }

  /** Shows a turn; Ctrl-C and /stop end it, other lines wait for their turn. */
  async #follow(turnId: string): Promise<void> {
    const { host, client, terminal, style, showReasoning } = this.#parts;
    const write = (text: string): void => terminal.print(text, (shown) => host.stdout.write(shown));
    const note = (text: string): void => terminal.print(`${text}\n`, () => this.#parts.note(text));
    const session = this.#session;
    let stops = 0;
    const leave = Promise.withResolvers<never>();
    leave.promise.catch(() => undefined);
    const stop = (): void => {
      stops += 1;
      if (stops > 1) return leave.reject(new Leave());
      note('stopping; Ctrl-C again leaves');
      session.stop(turnId).catch((error: unknown) => note(isSvcError(error) ? error.message : String(error)));
    };
    const onLine = (line: string): void => {
      if (line.trim() === '/stop') stop();
      else if (line.trim() !== '') this.#typedAhead.push(line);
    };
    const unlisten = terminal.listen({ onLine, onInterrupt: stop });
    const renderer = new ReplyRenderer({ write, style, showReasoning, columns: host.stdout.columns });
    const parts: FollowParts = {
      client,
      session,
      terminal,
      renderer,
      write,
      note,
      style,
      columns: host.stdout.columns,
    };
    try {
      const outcome = await Promise.race([followTurn(parts, turnId), leave.promise]);
      if (outcome.kind === 'ended' && !outcome.isError && outcome.reason !== 'completed') note(`(${outcome.reason})`);
      write('\n');
    } finally {
      unlisten();
    }
  }
}

/** Thrown when the person presses Ctrl-C while an answer is being stopped. */
export class Leave extends Error {}
