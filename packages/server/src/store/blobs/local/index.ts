/**
 * store/blobs/local: object bytes in a content-addressed directory of one machine. Owns everything below its
 * directory; knows nothing of who refers to an object (`ObjectReferences` of the store does). Opened by `app` only.
 */
export { createLocalBlobs } from './local-blobs.ts';
