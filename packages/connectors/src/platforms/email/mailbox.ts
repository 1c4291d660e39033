import type { ImapFlow } from 'imapflow';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise by STARTTLS, which only a server on this machine may lack. */
  readonly isSecure: boolean;
  readonly user: string;
  readonly password: string;
}

/** Of a larger mail only the beginning is read: svc would not take its files. */
const MAIL_LIMIT_BYTES = 40 * 1024 * 1024;
/** Mails of one visit; the rest comes with the next. */
const VISIT_LIMIT = 50;

export interface UnseenMail {
  readonly source: Uint8Array;
  /** Marks the mail as taken. */
  markSeen(): Promise<void>;
}

/** True for a host name or address of this machine. */
export const isLocal = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

/** Connects to the mailbox and lets `work` use its inbox; always closes the connection. */
export async function visit<T>(server: MailServer, work: (client: ImapFlow) => Promise<T>): Promise<T> {
  const { ImapFlow: Client } = await import('imapflow');
  const client = new Client({
    host: server.host,
    port: server.port,
    secure: server.isSecure,
    ...(server.isSecure || isLocal(server.host) ? {} : { doSTARTTLS: true }),
    auth: { user: server.user, pass: server.password },
    logger: false,
    disableAutoIdle: true,
  });
  // A connection that breaks while nothing waits for it has no other listener.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const lock = await client.getMailboxLock('INBOX');
    try {
      return await work(client);
    } finally {
      lock.release();
    }
  } finally {
    await client.logout().catch(() => client.close());
  }
}

/** Hands each mail that is not seen to `take`, oldest first. */
export async function forEachUnseen(client: ImapFlow, take: (mail: UnseenMail) => Promise<void>): Promise<void> {
  const uids = (await client.search({ seen: false }, { uid: true })) || [];
  for (const uid of uids.slice(0, VISIT_LIMIT)) {
    const mail = await client.fetchOne(String(uid), { source: { maxLength: MAIL_LIMIT_BYTES } }, { uid: true });
    if (mail === false || mail.source === undefined) continue;
    await take({
      source: mail.source,
      markSeen: async () => {
        await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true });
      },
    });
  }
}

/** The source of the mail with the id in its header; undefined when it is no longer in the inbox. */
export async function findMail(client: ImapFlow, messageId: string): Promise<Uint8Array | undefined> {
  const [uid] = (await client.search({ header: { 'message-id': messageId } }, { uid: true })) || [];
  if (uid === undefined) return undefined;
  const mail = await client.fetchOne(String(uid), { source: { maxLength: MAIL_LIMIT_BYTES } }, { uid: true });
  return mail === false ? undefined : mail.source;
}
