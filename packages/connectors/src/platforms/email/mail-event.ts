import { createHash } from 'node:crypto';
import type { Email } from 'postal-mime';
import type { InboundEvent } from '../../kit/index.ts';
import { textOfHtml } from './html-text.ts';

/** A mail as the connector reads it. */
export interface ReadMail {
  readonly email: Email;
  /** In angle brackets. */
  readonly messageId: string;
  /** First mail of the correspondence, in angle brackets. */
  readonly root: string;
  readonly references: readonly string[];
}

/** Parses a mail; one without a usable Message-ID gets one of its bytes. */
export async function readMail(source: Uint8Array): Promise<ReadMail> {
  const { default: PostalMime } = await import('postal-mime');
  const email = await PostalMime.parse(new Uint8Array(source));
  const [messageId = `<${createHash('sha256').update(source).digest('hex')}@no-id.invalid>`] = idsIn(email.messageId);
  const references = [...new Set([...idsIn(email.references), ...idsIn(email.inReplyTo)])];
  return { email, messageId, references, root: references[0] ?? messageId };
}

/** The event of a mail; undefined for one whose sender cannot be answered and for those of the mailbox itself. */
export function eventOf({ email, messageId, root }: ReadMail, mailbox: string): InboundEvent | undefined {
  const address = email.from?.address?.toLowerCase();
  if (address === undefined || !ADDRESS.test(address) || address === mailbox.toLowerCase()) return undefined;
  const subject = email.subject?.trim() ?? '';
  const dmarc = /\bdmarc=(\w+)/.exec(headerOf(email, 'authentication-results'))?.[1];
  return {
    eventId: `email:${messageId}`,
    kind: 'created',
    matchFields: { mailbox: mailbox.toLowerCase(), sender_domain: address.slice(address.indexOf('@') + 1) },
    // A reply needs the address; its first mail identifies the correspondence.
    conversation: `${address} ${root}`,
    thread: undefined,
    messageId,
    conversationType: 'dm',
    sender: { id: address, address, displayName: email.from?.name ?? '', kind: isAutomatic(email) ? 'app' : 'user' },
    text: [
      messageId === root && subject !== '' ? `Subject: ${subject}` : '',
      withoutQuote(email.text ?? textOfHtml(email.html ?? '')),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    attachments: email.attachments.map(({ filename, mimeType, content }) => {
      const bytes =
        typeof content === 'string' ? Buffer.from(content, 'base64') : new Uint8Array(content as ArrayBuffer);
      return {
        filename: filename ?? 'attachment',
        mediaType: mimeType,
        sizeBytes: bytes.length,
        read: async () => bytes,
      };
    }),
    timeMs: email.date === undefined ? 0 : Date.parse(email.date) || 0,
    labels: { ...(subject === '' ? {} : { subject }), ...(dmarc === undefined ? {} : { dmarc }) },
  };
}

/** Part of an id for svc, which takes 512 characters; longer ids are not used. */
const idsIn = (header: string | undefined): readonly string[] => header?.match(/<[^<>\s]{1,250}>/g) ?? [];

/** One address and no more, whatever the sender has written. */
const ADDRESS = /^[^\s@,;:<>()"]{1,64}@[^\s@,;:<>()"]{1,185}$/;

const headerOf = ({ headers }: Email, name: string): string => headers.find(({ key }) => key === name)?.value ?? '';

/** Mail of programs and lists. */
const isAutomatic = (email: Email): boolean =>
  isSentByProgram(email) || /^list$/i.test(headerOf(email, 'precedence')) || headerOf(email, 'list-id') !== '';

/** Mail that no person has sent, such as a note of absence: an automatic answer to it could be answered for ever. */
export const isSentByProgram = (email: Email): boolean =>
  !/^(?:no\b.*)?$/i.test(headerOf(email, 'auto-submitted').trim()) ||
  /^(?:bulk|junk|auto_reply)$/i.test(headerOf(email, 'precedence').trim());

/** Drops the quoted mail at the end, which svc has as a message of its own. */
function withoutQuote(text: string): string {
  const lines = text.trimEnd().split(/\r?\n/);
  let end = lines.length;
  while (end > 0 && /^(?:>|$)/.test(lines[end - 1] ?? '')) end -= 1;
  // The line above a quote says who wrote it.
  if (end < lines.length && end > 1 && /:$/.test(lines[end - 1] ?? '')) end -= 1;
  const kept = lines.slice(0, end).join('\n').trim();
  return kept === '' ? text.trim() : kept;
}
