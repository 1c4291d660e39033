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
const TIMEOUT_MS = 10_000;

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
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
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

/** Where a visit begins. */
export interface VisitRange {
  /** The last mail of the visit before; 0 for the beginning. */
  readonly after: number;
  /** Aborted when the rest can wait for another visit. */
  readonly signal: AbortSignal;
}

/**
 * Hands each mail that is not seen to `take`, oldest first. Where there are more than one visit takes, the next one begins after them,
 * so that mail which svc refuses does not hold up the rest. Returns where the next visit begins.
 */
export async function forEachUnseen(
  client: ImapFlow,
  { after, signal }: VisitRange,
  take: (mail: UnseenMail) => Promise<void>,
): Promise<number> {
  const uids = (await client.search({ seen: false }, { uid: true })) || [];
  const visited = [...uids.filter((uid) => uid > after), ...uids.filter((uid) => uid <= after)].slice(0, VISIT_LIMIT);
  for (const uid of visited) {
    if (signal.aborted) return 0;
    const mail = await client.fetchOne(String(uid), { source: { maxLength: MAIL_LIMIT_BYTES } }, { uid: true });
    if (mail === false || mail.source === undefined) continue;
    await take({
      source: mail.source,
      markSeen: async () => {
        await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true });
      },
    });
  }
  return visited.length === uids.length ? 0 : (visited.at(-1) ?? 0);
}

/** The source of the mail with the id in its header; undefined when it is no longer in the inbox. */
export async function findMail(client: ImapFlow, messageId: string): Promise<Uint8Array | undefined> {
  const [uid] = (await client.search({ header: { 'message-id': messageId } }, { uid: true })) || [];
  if (uid === undefined) return undefined;
  const mail = await client.fetchOne(String(uid), { source: { maxLength: MAIL_LIMIT_BYTES } }, { uid: true });
  return mail === false ? undefined : mail.source;
}
