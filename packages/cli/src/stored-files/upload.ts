import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PrepareUploadResponse } from '@svc/api/gateway';
import type { File, FileSchema } from '@svc/api/resources';
import { isSvcError } from '@svc/client';
import type { CommandContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { LocalContent } from './content.ts';
import { Progress } from './progress.ts';

/** Bytes that may go inside a request; more is sent by an upload. The server may allow less, and says so. */
const INLINE_BYTES = 1_048_576;
const TRIES_MAX = 3;
const PAUSE_MS = 500;

interface WantedFile {
  readonly file: MessageInitShape<typeof FileSchema>;
  readonly content: LocalContent;
  /** Its name in messages. */
  readonly filename: string;
}

export interface Stored {
  readonly file: File | undefined;
  /** False when the server had the bytes already. */
  readonly isSent: boolean;
}

/** Stores the bytes at the path of `wanted.file`, and replaces those of `present`. Throws SvcError and CommandFailure. */
export const store = async (
  context: CommandContext,
  wanted: WantedFile,
  present: File | undefined,
): Promise<Stored> => {
  if (wanted.content.sizeBytes > INLINE_BYTES) return storeApart(context, wanted, present);
  try {
    return await storeInline(context, wanted, present);
  } catch (error) {
    if (!isSvcError(error) || error.reason !== 'TOO_LARGE') throw error;
    return storeApart(context, wanted, present);
  }
};

const storeInline = async (context: CommandContext, wanted: WantedFile, present: File | undefined): Promise<Stored> => {
  const { client, target } = context;
  const { file, filename } = wanted;
  const content = new Uint8Array(await wanted.content.blob.arrayBuffer());
  const request = { ns: target.namespace, file, content, filename };
  const name = present?.metadata?.name;
  const answer = await (name === undefined
    ? client.files.createFile(request)
    : client.files.updateFile({ ...request, name }));
  return { file: answer.file, isSent: true };
};

/** Prepare, send, complete. If an earlier run has sent everything, the upload is completed without sending again. */
const storeApart = async (context: CommandContext, wanted: WantedFile, present: File | undefined): Promise<Stored> => {
  const resumed = await completeEarlier(context, wanted, present);
  if (resumed !== undefined) return { file: resumed, isSent: false };
  const { client, target } = context;
  const { file, filename, content } = wanted;
  const { sizeBytes, sha256 } = content;
  const ns = target.namespace;
  const prepared = await client.files.prepareUpload({ ns, file, filename, sizeBytes: BigInt(sizeBytes), sha256 });
  const progress = new Progress(context, `sending ${filename}`, sizeBytes);
  try {
    await send(context, prepared, { content, progress });
  } finally {
    progress.end();
  }
  const { uploadId } = prepared;
  const name = prepared.file?.metadata?.name ?? '';
  return { file: (await client.files.completeUpload({ ns, name, uploadId })).file, isSent: true };
};

const completeEarlier = async (
  { client, target }: CommandContext,
  { content }: WantedFile,
  present: File | undefined,
): Promise<File | undefined> => {
  const pending = present?.status?.pendingUpload;
  if (pending === undefined || pending.expectedSha256 !== content.sha256) return undefined;
  const name = present?.metadata?.name ?? '';
  try {
    return (await client.files.completeUpload({ ns: target.namespace, name, uploadId: pending.id })).file;
  } catch (error) {
    // The bytes never arrived, or too late: send them now.
    if (isSvcError(error) && error.reason === 'UPLOAD_INVALID') return undefined;
    throw error;
  }
};

/** Sends the bytes to the signed link; a broken connection is retried from the start. */
const send = async (
  { host }: CommandContext,
  prepared: PrepareUploadResponse,
  sent: { readonly content: LocalContent; readonly progress: Progress },
): Promise<void> => {
  const { content, progress } = sent;
  for (let attempt = 1; ; attempt++) {
    progress.restart();
    try {
      const body = ReadableStream.from(progress.count(content.blob.stream()));
      const headers = { ...prepared.headers, 'content-length': String(content.sizeBytes) };
      const request = { method: prepared.method, headers, body, duplex: 'half' } as const;
      const answer = await host.fetch(prepared.url, request as RequestInit);
      if (answer.ok) return;
      throw new CommandFailure(`the upload was refused with ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
    } catch (error) {
      if (error instanceof CommandFailure) throw error;
      if (attempt >= TRIES_MAX)
        throw new CommandFailure(`the upload to ${new URL(prepared.url).origin} broke off`, {
          exitCode: exitCodes.connection,
          hint: 'run the same command again; server.publicUrl is where uploads go',
          cause: error,
        });
      await host.sleep(PAUSE_MS * attempt);
    }
  }
};
