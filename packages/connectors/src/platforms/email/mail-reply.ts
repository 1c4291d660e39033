import { createHash } from 'node:crypto';
import { type Delivery, DeliveryFailure } from '../../kit/index.ts';
import { isSentByProgram, type ReadMail } from './mail-event.ts';
import { isLocal, type MailServer } from './mailbox.ts';

const TIMEOUT_MS = 10_000;

/**
 * Sends a reply by SMTP. Its Message-ID follows from the delivery, so that mail programs show a repeated one once. Throws
 * DeliveryFailure.
 */
export async function sendReply(
  server: MailServer,
  from: string,
  reply: { readonly delivery: Delivery; readonly original: ReadMail | undefined },
): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const { delivery, original } = reply;
  const [to = '', root = ''] = delivery.conversation.split(' ');
  const answered = delivery.replyTo ?? root;
  if (original !== undefined && isSentByProgram(original.email))
    throw new DeliveryFailure(
      'rejected',
      'a program has sent the mail: it gets no answer, so that two programs cannot write for ever',
    );
  // A reply that was edited and released again is another mail.
  const hash = createHash('sha256').update(`${delivery.id}\n${delivery.text}`);
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.isSecure,
    requireTLS: !(server.isSecure || isLocal(server.host)),
    auth: { user: server.user, pass: server.password },
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  try {
    await transport.sendMail({
      from,
      // As one address: in a text, commas would make more of it.
      to: { name: '', address: to },
      subject: subjectOf(original),
      text: delivery.text,
      messageId: `<${hash.digest('hex')}@${from.slice(from.indexOf('@') + 1)}>`,
      inReplyTo: answered,
      references: [...new Set([root, ...(original?.references ?? []), answered])],
      headers: { 'auto-submitted': 'auto-replied' },
      attachments: delivery.files.map(({ filename, mediaType, bytes }) => ({
        filename,
        contentType: mediaType,
        content: Buffer.from(bytes),
      })),
    });
  } catch (error) {
    throw failureOf(error);
  } finally {
    transport.close();
  }
}

function subjectOf(original: ReadMail | undefined): string {
  const subject = original?.email.subject?.trim() ?? '';
  if (subject === '') return 'Re: your message';
  return /^re:/i.test(subject) ? subject : `Re: ${subject}`;
}

/** 5xx is final, 4xx is temporary; a refused login concerns every mail. */
function failureOf(error: unknown): DeliveryFailure {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const status = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0;
  if (code === 'EAUTH')
    return new DeliveryFailure('retry', 'the mail server refuses the password', {
      isCredentialRefused: true,
      cause: error,
    });
  return status >= 500
    ? new DeliveryFailure('rejected', `the mail server refuses the mail: ${status}`, { cause: error })
    : new DeliveryFailure('retry', `the mail server answered ${status || 'nothing'}`, { cause: error });
}
