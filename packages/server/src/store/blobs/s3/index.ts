/**
 * store/blobs/s3: object bytes in a bucket of an S3-compatible service, under the keys of the local layout, and uploads
 * that clients send straight to it. Owns `<prefix>objects/` and `<prefix>uploads/` of its bucket and its folder for
 * bytes on their way; knows nothing of who refers to an object. Opened by `app` only, which loads this folder when
 * `objects.backend` is s3: a start with local objects loads nothing of the S3 client.
 */
export { openS3Objects, type S3Objects, type S3ObjectsOptions } from './s3-objects.ts';
