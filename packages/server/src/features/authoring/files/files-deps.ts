import type { Ids } from '../../../base/index.ts';
import type { ResourceWriter } from '../../../controllers/contract.ts';
import type { ResourceViews } from '../../../resources/index.ts';
import type { BlobStore, DirectUploads, Store } from '../../../store/contracts/index.ts';
import type { FileKindDeps } from './file-kind.ts';
import type { DocumentForm, PdfReader } from './file-text.ts';
import type { ObjectLinks, StoredObjects } from './objects/index.ts';
import type { UploadSignatures } from './transfers/index.ts';

interface FileLimits extends FileKindDeps {
  /** `limits.fileInlineBytes`. */
  readonly inlineBytes: number;
  /** `limits.objectBytes`. */
  readonly objectBytes: number;
  /** `limits.responseBytes`. */
  readonly responseBytes: number;
}

/** What files and artifacts are served with. */
export interface FilesDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
  readonly views: ResourceViews;
  readonly blobs: BlobStore;
  readonly objects: StoredObjects;
  readonly links: ObjectLinks;
  readonly signatures: UploadSignatures;
  /** Where clients send bytes past this gateway; undefined = through it. */
  readonly direct: DirectUploads | undefined;
  readonly ids: Ids;
  readonly form: DocumentForm;
  readonly pdf: PdfReader;
  /** Where callers reach the gateway, without a slash at the end; asked when it listens. */
  readonly baseUrl: () => string;
  readonly limits: FileLimits;
}
