import type { MessageInitShape } from '@bufbuild/protobuf';
import type { FileSchema, File as StoredFile } from '@svc/api/resources';
import { type Client, isSvcError, SvcError } from '@svc/client';
import { texts } from './texts.ts';
import { uploadAddress } from './upload-address.ts';

/** Bytes that may go inside a request; more is sent to a signed link. The server may allow less, and says so. */
const INLINE_BYTES = 1_048_576;

interface Upload {
  readonly ns: string;
  /** Absolute path in the namespace. */
  readonly path: string;
  readonly file: File;
  /** The file that is there already and gets new content. */
  readonly present: StoredFile | undefined;
}

/** Stores a file of the person's computer: small ones inside a request, large ones by a link. */
export const storeFile = async (client: Client, upload: Upload): Promise<void> => {
  if (upload.file.size > INLINE_BYTES) return storeApart(client, upload);
  try {
    await storeInline(client, upload);
  } catch (error) {
    if (!isSvcError(error) || error.reason !== 'TOO_LARGE') throw error;
    await storeApart(client, upload);
  }
};

/** The file as it shall be; one that is there keeps how it is handled. */
const describedBy = ({ path, file, present }: Upload): MessageInitShape<typeof FileSchema> => {
  const { purpose = 0, indexPolicy = 0, retention = 0, mediaType = '' } = present?.spec ?? {};
  return { spec: { path, purpose, indexPolicy, retention, mediaType: file.type || mediaType } };
};

const storeInline = async (client: Client, upload: Upload): Promise<void> => {
  const { ns, file, present } = upload;
  const content = new Uint8Array(await file.arrayBuffer());
  const request = { ns, file: describedBy(upload), content, filename: file.name };
  const name = present?.metadata?.name;
  await (name === undefined ? client.files.createFile(request) : client.files.updateFile({ ...request, name }));
};

const storeApart = async (client: Client, upload: Upload): Promise<void> => {
  const { ns, file } = upload;
  const { sha256 } = await import('../../api/sha256.ts');
  const asked = { ns, file: describedBy(upload), sizeBytes: BigInt(file.size), filename: file.name };
  const prepared = await client.files.prepareUpload({ ...asked, sha256: await sha256(file) });
  const answer = await fetch(uploadAddress(prepared.url, location.href), {
    method: prepared.method,
    headers: prepared.headers,
    body: file,
    credentials: 'omit',
  });
  if (!answer.ok)
    throw new SvcError({ code: 'UNAVAILABLE', reason: 'UPLOAD_REFUSED', message: texts.sendFailed(answer.status) });
  await client.files.completeUpload({ ns, name: prepared.file?.metadata?.name ?? '', uploadId: prepared.uploadId });
};
