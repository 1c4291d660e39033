import type { Ids } from '../../../base/index.ts';
import type { ResourceViews } from '../../../resources/index.ts';
import type { DirectUploads } from '../../../store/contracts/index.ts';
import type { FileKindDeps } from './file-kind.ts';
import type { DocumentForm, PdfReader } from './file-text.ts';
import type { ObjectLinks } from './objects/index.ts';
import type { TransferDeps } from './transfers/index.ts';

interface FileLimits extends FileKindDeps {
  /** `limits.fileInlineBytes`. */
  readonly inlineBytes: number;
  /** `limits.objectBytes`. */
  readonly objectBytes: number;
  /** `limits.responseBytes`. */
  readonly responseBytes: number;
}

/** What files and artifacts are served with. */
export interface FilesDeps extends TransferDeps {
  readonly views: ResourceViews;
  readonly links: ObjectLinks;
  /** Where clients send bytes past this gateway; undefined = through it. */
  readonly direct: DirectUploads | undefined;
  readonly ids: Ids;
  readonly form: DocumentForm;
  readonly pdf: PdfReader;
  readonly limits: FileLimits;
}
