import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

interface StoredMail {
  readonly source: string;
  isSeen: boolean;
}

type Answer = (line: string, socket: Socket) => void;

/** Calls `answer` for each line that a client sends. */
const lineServer = (greeting: string, makeAnswer: () => Answer): Server =>
  createServer((socket) => {
    const answer = makeAnswer();
    let rest = '';
    socket.on('error', () => undefined);
    socket.write(`${greeting}\r\n`);
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) answer(line, socket);
    });
  });

/** A mail server on this machine with one mailbox: as much of IMAP and SMTP as clients need to read, mark and send mail. */
export class MailServerOfTest {
  readonly mails: StoredMail[] = [];
  /** What was sent, with the text after DATA. */
  readonly sent: { readonly to: string; readonly text: string }[] = [];
  /** Answers for the next mails that are sent. */
  readonly refusals: string[] = [];
  readonly #imap = lineServer(
    '* OK [CAPABILITY IMAP4rev1] ready',
    () => (line, socket) => this.#answerImap(line, socket),
  );
  readonly #smtp = lineServer('220 mail.test ESMTP', () => this.#smtpSession());
  password = 'right';
  imapUrl = '';
  smtpUrl = '';

  async listen(): Promise<void> {
    for (const server of [this.#imap, this.#smtp])
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.imapUrl = `imap://127.0.0.1:${(this.#imap.address() as AddressInfo).port}`;
    this.smtpUrl = `smtp://127.0.0.1:${(this.#smtp.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const server of [this.#imap, this.#smtp]) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  receive(...lines: readonly string[]): void {
    this.mails.push({ source: lines.join('\r\n'), isSeen: false });
  }

  #answerImap(line: string, socket: Socket): void {
    const [tag = '', command = '', ...words] = line.split(' ');
    const name = command.toUpperCase() === 'UID' ? `UID ${words.shift()?.toUpperCase()}` : command.toUpperCase();
    const done = (...lines: readonly string[]) =>
      socket.write([...lines, `${tag} OK ${name} completed`, ''].join('\r\n'));
    switch (name) {
      case 'CAPABILITY':
        return void done('* CAPABILITY IMAP4rev1');
      case 'LOGIN':
        if (words.at(-1)?.replaceAll('"', '') === this.password) return void done();
        return void socket.write(`${tag} NO [AUTHENTICATIONFAILED] wrong password\r\n`);
      case 'LIST':
      case 'LSUB':
        return void done(`* ${name} () "/" INBOX`);
      case 'SELECT':
      case 'EXAMINE':
        return void done(
          '* FLAGS (\\Seen)',
          '* OK [PERMANENTFLAGS (\\Seen)] limited',
          `* ${this.mails.length} EXISTS`,
          '* OK [UIDVALIDITY 1] valid',
          `* OK [UIDNEXT ${this.mails.length + 1}] next`,
        );
      case 'UID SEARCH':
        return void done(
          `* SEARCH${this.#search(words)
            .map((uid) => ` ${uid}`)
            .join('')}`,
        );
      case 'UID FETCH': {
        const uid = Number(words[0]);
        const source = this.mails[uid - 1]?.source ?? '';
        const item = /BODY\[\]<0>/.test(`${words.join(' ')}`) || line.includes('<0.') ? 'BODY[]<0>' : 'BODY[]';
        return void done(`* ${uid} FETCH (UID ${uid} ${item} {${Buffer.byteLength(source)}}\r\n${source})`);
      }
      case 'UID STORE': {
        const mail = this.mails[Number(words[0]) - 1];
        if (mail !== undefined && line.includes('\\Seen')) mail.isSeen = true;
        return void done();
      }
      case 'LOGOUT':
        socket.end(`* BYE\r\n${tag} OK LOGOUT completed\r\n`);
        return;
      default:
        return void done();
    }
  }

  #search(words: readonly string[]): readonly number[] {
    const header = /HEADER MESSAGE-ID "?([^"]+)"?$/i.exec(words.join(' '))?.[1];
    return this.mails.flatMap(({ source, isSeen }, index) => {
      const isFound = header === undefined ? !isSeen : source.includes(`Message-ID: ${header}`);
      return isFound ? [index + 1] : [];
    });
  }

  #smtpSession(): Answer {
    let to = '';
    let data: string[] | undefined;
    return (line, socket) => {
      if (data === undefined) {
        to = /^RCPT.*<(.*)>/i.exec(line)?.[1] ?? to;
        if (/^DATA/i.test(line)) data = [];
        const answer = this.#answerSmtp(line);
        return void (/^QUIT/i.test(line) ? socket.end(answer) : socket.write(answer));
      }
      if (line !== '.') return void data.push(line);
      const refusal = this.refusals.shift();
      if (refusal === undefined) this.sent.push({ to, text: data.join('\n') });
      data = undefined;
      socket.write(`${refusal ?? '250 taken'}\r\n`);
    };
  }

  #answerSmtp(line: string): string {
    switch (line.split(' ')[0]?.toUpperCase()) {
      case 'EHLO':
        return '250-mail.test\r\n250 AUTH PLAIN\r\n';
      case 'AUTH': {
        const credential = Buffer.from(line.split(' ').at(-1) ?? '', 'base64').toString();
        return credential.endsWith(`\0${this.password}`) ? '235 welcome\r\n' : '535 wrong password\r\n';
      }
      case 'DATA':
        return '354 go ahead\r\n';
      case 'QUIT':
        return '221 bye\r\n';
      default:
        return '250 fine\r\n';
    }
  }
}
