import { MessageRole, SessionMessagePartType } from '@svc/api/data';
import type { Client, Session, SessionKey } from '@svc/client';
import { type Attachment, attachmentPart } from '../conversation/index.ts';

export const WHEN_BUSY = ['queue', 'steer', 'interrupt'] as const;
export type WhenBusy = (typeof WHEN_BUSY)[number];

/** What a person is about to send. */
export interface Outgoing {
  readonly text: string;
  readonly files: readonly Attachment[];
  /** What happens while a turn runs. */
  readonly whenBusy: WhenBusy;
  /** Name of one of the agent's models; '' for its own choice. */
  readonly profile: string;
}

/** Stores the message and its turn; the same key stores it once. */
export const sendOut = (
  session: Pick<Session, 'send'>,
  { text, files, whenBusy, profile }: Outgoing,
  idempotencyKey: string,
): Promise<unknown> =>
  session.send(text, {
    idempotencyKey,
    whenBusy,
    parts: files.map(attachmentPart),
    ...(profile === '' ? {} : { labels: { 'model-profile': profile } }),
  });

/** Stores the message as a note, without a turn. */
export const sendNote = (
  {
    client,
    session,
    idempotencyKey,
  }: { readonly client: Client; readonly session: SessionKey; readonly idempotencyKey: string },
  { text, files }: Outgoing,
): Promise<unknown> => {
  const words = text.trim() === '' ? [] : [{ partType: SessionMessagePartType.TEXT, content: text }];
  const message = { role: MessageRole.ROLE_USER, parts: [...words, ...files.map(attachmentPart)] };
  return client.gateway.appendSessionMessage({ ...session, message }, { idempotencyKey });
};

/** The files with their bytes. */
export const readFiles = (list: FileList | undefined): Promise<readonly Attachment[]> =>
  Promise.all(
    Array.from(list ?? []).map(async (file) => ({
      key: `${file.name} ${file.size} ${file.lastModified}`,
      name: file.name,
      mediaType: file.type,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
