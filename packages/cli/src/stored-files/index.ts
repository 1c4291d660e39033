/**
 * stored-files: files of a namespace and artifacts of a session: put, get, remove, promote (listings are in another
 * folder). Bytes go in the request or by an upload in three steps, are identified by their hash, and never left incomplete. Uses
 * the FileService only.
 */
export { type ArtifactOptions, getArtifact, promoteArtifact } from './artifacts.ts';
export { hashOf, localContent } from './content.ts';
export { piecesOf } from './download.ts';
export { getFile, removeFiles } from './files.ts';
export { fileAt } from './find-file.ts';
export { type ForgetOptions, forgetMemory } from './memory.ts';
export { type PutOptions, putFile } from './put.ts';
export { store } from './upload.ts';
