import { setTimeout } from 'node:timers/promises';
import type { ConnectorHost, Platform } from '../../kit/index.ts';
import { SettingError, type Settings } from '../../settings.ts';
import { optional, required, type ShippedConnector, secret } from '../shipped-connector.ts';
import { eventOf, readMail } from './mail-event.ts';
import { sendReply } from './mail-reply.ts';
import { findMail, forEachUnseen, type MailServer, type VisitRange, visit } from './mailbox.ts';

const DEFAULT_INTERVAL_SECONDS = 30;

interface MailAccount {
  readonly address: string;
  readonly imap: MailServer;
  readonly smtp: MailServer;
  readonly intervalMs: number;
}

function openMailbox({ address, imap, smtp, intervalMs }: MailAccount, host: ConnectorHost): Platform {
  const stopping = new AbortController();
  const { signal } = stopping;
  let after = 0;
  const take = async (): Promise<void> => {
    after = await takeMail({ imap, address, host }, { after, signal });
  };
  let ended: Promise<void> | undefined;
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await setTimeout(intervalMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await take();
        host.reportStatus('connected', '');
      } catch (error) {
        host.log.error('the mailbox cannot be read', { error });
        host.reportStatus('degraded', 'the mailbox cannot be read');
      }
    }
  };
  return {
    start: async () => {
      // Mail that has waited is taken at once; a wrong password shows at the start, and is tried again like any other failure.
      try {
        await take();
      } finally {
        ended = watch();
      }
    },
    stop: async () => {
      stopping.abort();
      await ended;
    },
    deliver: async (delivery) => {
      const [, root = ''] = delivery.conversation.split(' ');
      const source = await visit(imap, (client) => findMail(client, delivery.replyTo ?? root));
      await sendReply(smtp, address, { delivery, original: source === undefined ? undefined : await readMail(source) });
    },
  };
}

interface Taking {
  readonly imap: MailServer;
  readonly address: string;
  readonly host: ConnectorHost;
}

/** Hands mail that is not seen to svc; what svc does not take stays unseen. Returns where the next visit begins. */
async function takeMail({ imap, address, host }: Taking, range: VisitRange): Promise<number> {
  return await visit(imap, (client) =>
    forEachUnseen(client, range, async ({ source, markSeen }) => {
      try {
        const mail = await readMail(source);
        const event = eventOf(mail, address);
        if (event === undefined)
          host.log.info('a mail was left alone: own, or without an address', { mail: mail.messageId });
        else await host.ingest(event);
        await markSeen();
      } catch (error) {
        host.log.warn('a mail was not taken by svc and stays unseen', { error });
      }
    }),
  );
}

function readAccount(settings: Settings): MailAccount {
  const address = settings.require('address');
  const user = settings.get('user') ?? address;
  const password = settings.require('password');
  const seconds = Number(settings.get('intervalSeconds') ?? DEFAULT_INTERVAL_SECONDS);
  if (!(seconds >= 1 && seconds <= 86_400))
    throw new SettingError('intervalSeconds', 'intervalSeconds is not a number from 1 to 86400');
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw new SettingError('address', 'address is not an e-mail address');
  const server = (name: string, scheme: string, ports: readonly [number, number]): MailServer => {
    const url = URL.parse(settings.require(name));
    if (url === null || ![`${scheme}:`, `${scheme}s:`].includes(url.protocol))
      throw new SettingError(name, `${name} is not an address such as ${scheme}s://mail.example.org`);
    const isSecure = url.protocol === `${scheme}s:`;
    const port = url.port === '' ? ports[isSecure ? 1 : 0] : Number(url.port);
    return { host: url.hostname, port, isSecure, user, password };
  };
  return {
    address,
    imap: server('imap', 'imap', [143, 993]),
    smtp: server('smtp', 'smtp', [587, 465]),
    intervalMs: seconds * 1_000,
  };
}

/** E-mail: a mailbox that is read by IMAP and answered by SMTP. */
export const email: ShippedConnector = {
  name: 'email',
  title: 'E-mail',
  settings: [
    required('address', 'EMAIL_ADDRESS', 'address of the mailbox'),
    secret('password', 'EMAIL_PASSWORD', 'password of the mailbox, for IMAP and SMTP'),
    required('imap', 'EMAIL_IMAP_URL', 'incoming server, such as imaps://mail.example.org'),
    required('smtp', 'EMAIL_SMTP_URL', 'outgoing server, such as smtps://mail.example.org'),
    optional('user', 'EMAIL_USER', 'name to sign in with, when it is not the address'),
    optional('intervalSeconds', 'EMAIL_INTERVAL_SECONDS', 'time between two visits of the mailbox, default 30'),
  ],
  matchIndexes: [
    { name: 'sender_domain', fields: ['mailbox', 'sender_domain'] },
    { name: 'mailbox', fields: ['mailbox'] },
  ],
  verification: 'none: mail is read from the mailbox; label dmarc says what its server found out about the sender',
  open: async (settings) => {
    const account = readAccount(settings);
    return (host) => openMailbox(account, host);
  },
};
