import { create } from '@bufbuild/protobuf';
import {
  type CompleteUploadRequest,
  type CreateFileRequest,
  DeleteFileResponseSchema,
  FileResponseSchema,
  FileService,
  ListFilesResponseSchema,
  type PrepareUploadRequest,
  PrepareUploadResponseSchema,
  type ReadFileRequest,
  ReadFileResponseSchema,
  type UpdateFileRequest,
} from '@svc/api/gateway';
import { type File, FileSchema } from '@svc/api/resources';
import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import {
  type HttpRoute,
  type Operation,
  operation,
  operator,
  viewer,
  wholeResource,
} from '../../../operations/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import { checkMode, FileReads, READ_FILE } from './file-reads.ts';
import { FileUploads } from './file-uploads.ts';
import { FileWrites, fileKey } from './file-writes.ts';
import type { FilesDeps } from './files-deps.ts';
import { DirectTransfer, GatewayTransfer, type UploadTransfer } from './transfers/index.ts';

export interface FilesFeature {
  readonly operations: readonly Operation[];
  readonly routes: readonly HttpRoute[];
  readonly reads: FileReads;
  readonly writes: FileWrites;
}

/** The file operations of FileService and the routes of bytes. */
export const filesFeature = (deps: FilesDeps & { readonly authorizer: Authorizer }): FilesFeature => {
  const reads = new FileReads(deps);
  const writes = new FileWrites(deps);
  const transfer = deps.direct === undefined ? new GatewayTransfer(deps) : new DirectTransfer(deps, deps.direct);
  const uploads = new FileUploads(deps, writes, transfer);
  const files = new FileAnswers(deps, { reads, writes, uploads, transfer });
  const { method } = FileService;
  return {
    reads,
    writes,
    operations: [
      operation(method.createFile, {
        access: operator('fields'),
        body: wholeResource(),
        handle: (request, call) => files.create(request, call),
      }),
      operation(method.updateFile, {
        access: operator('fields'),
        body: wholeResource(),
        handle: (request, call) => files.update(request, call),
      }),
      operation(method.prepareUpload, {
        access: operator('fields'),
        body: wholeResource(),
        handle: (request, call) => files.prepare(request, call),
      }),
      operation(method.completeUpload, {
        access: operator('fields'),
        handle: (request, call) => files.complete(request, call),
      }),
      operation(method.readFile, { access: READ_FILE, handle: (request, call) => files.read(request, call) }),
      operation(method.listFiles, {
        access: viewer('fields'),
        handle: async (request, call) => {
          const page = await reads.list({ ...request, namespace: request.ns });
          const shown = page.records.map((record) => files.view(record, call, request.metadataOnly));
          return create(ListFilesResponseSchema, { files: shown, nextPageToken: page.nextPageToken });
        },
      }),
      operation(method.deleteFile, {
        access: operator('fields'),
        handle: async ({ ns, name, resourceVersion }, call) => {
          const { key } = await reads.find(fileKey(ns, name));
          await deps.store.write((tx) => deps.writer.remove(tx, call, { key, resourceVersion }));
          return create(DeleteFileResponseSchema, { success: true });
        },
      }),
    ],
    routes: [...transfer.routes, reads.route(deps.authorizer)],
  };
};

interface FileParts {
  readonly reads: FileReads;
  readonly writes: FileWrites;
  readonly uploads: FileUploads;
  readonly transfer: UploadTransfer;
}

/** Requests and answers of the wire around the parts that do the work. */
class FileAnswers {
  readonly #deps: FilesDeps & { readonly authorizer: Authorizer };
  readonly #parts: FileParts;

  constructor(deps: FilesDeps & { readonly authorizer: Authorizer }, parts: FileParts) {
    this.#deps = deps;
    this.#parts = parts;
  }

  view(record: StoredResource, { caller }: CallContext, metadataOnly = false): File {
    const secrets = this.#deps.authorizer.readsSecrets(caller, { namespace: record.key.namespace });
    return this.#deps.views.full(FileSchema, record, { secrets, metadataOnly });
  }

  async create({ ns: namespace, file, content, filename }: CreateFileRequest, call: CallContext) {
    const record = await this.#parts.writes.create(call, { namespace, file, content, filename });
    return create(FileResponseSchema, { file: this.view(record, call) });
  }

  async update({ ns, name, file, content, filename }: UpdateFileRequest, call: CallContext) {
    const { key } = await this.#parts.reads.find(fileKey(ns, name));
    const record = await this.#parts.writes.update(call, key, { file, sent: call.sentMetadata, content, filename });
    return create(FileResponseSchema, { file: this.view(record, call) });
  }

  async prepare({ ns: namespace, file, sizeBytes, sha256, filename }: PrepareUploadRequest, call: CallContext) {
    const wanted = { namespace, file, sizeBytes: Number(sizeBytes), sha256, filename };
    const { file: record, upload } = await this.#parts.uploads.prepare(call, wanted);
    const link = await this.#parts.transfer.link(record.key, upload);
    return create(PrepareUploadResponseSchema, {
      file: this.view(record, call),
      uploadId: upload.id,
      method: 'PUT',
      url: link.url,
      headers: { ...link.headers },
      expiresAt: BigInt(upload.expiresAt),
    });
  }

  async complete({ ns, name, uploadId }: CompleteUploadRequest, call: CallContext) {
    const { key } = await this.#parts.reads.find(fileKey(ns, name));
    const record = await this.#parts.uploads.complete(call, key, uploadId);
    return create(FileResponseSchema, { file: this.view(record, call) });
  }

  async read({ ns, name, content: mode }: ReadFileRequest, call: CallContext) {
    checkMode(mode);
    const record = await this.#parts.reads.find(fileKey(ns, name));
    const { content, downloadUrl, expiresAt } = await this.#parts.reads.content(record, mode);
    const file = this.view(record, call);
    return create(ReadFileResponseSchema, { file, content, downloadUrl, expiresAt: BigInt(expiresAt) });
  }
}
