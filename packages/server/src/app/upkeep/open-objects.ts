import { Fault, type Random } from '../../base/index.ts';
import { createLocalBlobs } from '../../store/blobs/local/index.ts';
import type { BlobStore } from '../../store/contracts/index.ts';
import type { Config } from '../config/index.ts';

/** Object bytes as configured; `dir` holds those of the local backend. Fault FAILED_PRECONDITION for one this build lacks. */
export const openObjects = (
  config: Config,
  { random, dir }: { readonly random: Random; readonly dir: string },
): BlobStore => {
  if (config.settings['objects.backend'] !== 'local') {
    throw new Fault(
      'FAILED_PRECONDITION',
      'ENGINE_MISSING',
      'objects.backend: this build keeps objects below dataDir only; use local or leave objects.backend out',
    );
  }
  return createLocalBlobs({ dir, random });
};
