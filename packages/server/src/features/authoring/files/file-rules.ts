import { hash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { FileIndexPolicy, FilePurpose, FileRetention, type FileSpec, FileSpecSchema } from '@svc/api/resources';
import { type FieldViolation, violation } from '../../../base/index.ts';
import { fileName } from '../../../resources/index.ts';

const PATH_MAX = 1_024;
const MEDIA_TYPE_MAX = 255;
const FORBIDDEN = /[\p{Cc}\\]/u;
/** Parameters are what a header can carry: downloads say the media type. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[\t ]*;[\t\x20-\x7e]*)?$/;
const DOTS: ReadonlySet<string> = new Set(['.', '..']);
const FALLBACK_TYPE = 'application/octet-stream';

/** True for a path a file can have: absolute, not `/`, no empty, `.` or `..` segment, at most 1,024 characters. */
const isFilePath = (path: string): boolean =>
  path.startsWith('/') &&
  [...path].length <= PATH_MAX &&
  path.isWellFormed() &&
  !FORBIDDEN.test(path) &&
  path
    .slice(1)
    .split('/')
    .every((segment) => !['', '.', '..'].includes(segment));

/** True when the path is the prefix or lies below it; a prefix matches at slashes only. */
export const isBelow = (path: string, prefix: string): boolean => {
  // Matched from the first slash of a row only: from each of them it would take the square of a long row's time.
  const folder = prefix.replace(/(?<!\/)\/+$/, '');
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
};

const OWNER_CHARS = 32;
const OWNED = /^\/identity\/([^/]+)(?:\/|$)/;

/** Folder of the files that belong to one identity; no one can tell the identity from it. */
export const identityFolder = (identity: string): string =>
  `/identity/${hash('sha256', identity).slice(0, OWNER_CHARS)}/`;

/** The owner in the path of a file, as `identityFolder` writes it; undefined for a file that is shared. */
export const ownerOf = (path: string): string | undefined => OWNED.exec(path)?.[1];

/** True for files that are shared or belong to the identity. */
export const isForIdentity = (path: string, identity: string): boolean =>
  ownerOf(path) === undefined || path.startsWith(identityFolder(identity));

/** The skill that a file of purpose SKILL belongs to; undefined for any other path. */
export const skillOfPath = (path: string): string | undefined => /^\/skills\/([^/]+)\/./.exec(path)?.[1];

/** The spec with absent values filled in; an absent retention stays absent. */
export const fillFile = (spec: FileSpec): FileSpec =>
  create(FileSpecSchema, {
    ...spec,
    mediaType: spec.mediaType === '' ? FALLBACK_TYPE : spec.mediaType,
    purpose: spec.purpose === FilePurpose.UNSPECIFIED ? FilePurpose.ARTIFACT : spec.purpose,
    indexPolicy: spec.indexPolicy === FileIndexPolicy.UNSPECIFIED ? FileIndexPolicy.NONE : spec.indexPolicy,
  });

/** The spec with the fields of `given` merged into it; the path is merged too, so that the rules see a changed one. */
export const mergeFile = (spec: FileSpec, given: FileSpec | undefined): FileSpec =>
  given === undefined
    ? spec
    : create(FileSpecSchema, {
        path: given.path === '' ? spec.path : given.path,
        mediaType: given.mediaType === '' ? spec.mediaType : given.mediaType,
        purpose: given.purpose === FilePurpose.UNSPECIFIED ? spec.purpose : given.purpose,
        indexPolicy: given.indexPolicy === FileIndexPolicy.UNSPECIFIED ? spec.indexPolicy : given.indexPolicy,
        retention: given.retention === FileRetention.UNSPECIFIED ? spec.retention : given.retention,
      });

/** Only what a session made can go with one. */
export const checkOwner = (spec: Pick<FileSpec, 'retention'>, hasSession: boolean): readonly FieldViolation[] =>
  spec.retention === FileRetention.SESSION && !hasSession
    ? [violation('spec.retention', 'SESSION is for files that a session makes', 'FILE_RETENTION')]
    : [];

/** Faults of the name a download shall have; '' stands for the end of the path. */
export const checkFilename = (filename: string): readonly FieldViolation[] =>
  [...filename].length > PATH_MAX || !filename.isWellFormed() || /[\p{Cc}/\\]/u.test(filename) || DOTS.has(filename)
    ? [violation('filename', 'must be a plain file name', 'FILE_NAME')]
    : [];

/** All faults of the fields; `before` is the path of the stored file, `name` what it is called or shall be. */
export const checkFile = (
  spec: FileSpec,
  about: { readonly name: string; readonly before: string | undefined },
): readonly FieldViolation[] => {
  const faults: FieldViolation[] = [];
  if (!isFilePath(spec.path))
    faults.push(
      violation(
        'spec.path',
        'must be absolute, without empty, "." or ".." segments, "\\" or control characters',
        'FILE_PATH',
      ),
    );
  else if (about.before !== undefined && about.before !== spec.path)
    faults.push(violation('spec.path', 'of a file never changes', 'FILE_PATH'));
  else if (about.name !== fileName(spec.path))
    faults.push(violation('metadata.name', `is derived from the path: ${fileName(spec.path)}`, 'FILE_PATH'));
  if (spec.mediaType.length > MEDIA_TYPE_MAX || !MEDIA_TYPE.test(spec.mediaType))
    faults.push(violation('spec.mediaType', 'must be a media type such as text/plain', 'FILE_MEDIA_TYPE'));
  if (FilePurpose[spec.purpose] === undefined)
    faults.push(violation('spec.purpose', 'is not a known value', 'FILE_PURPOSE'));
  if (FileIndexPolicy[spec.indexPolicy] === undefined)
    faults.push(violation('spec.indexPolicy', 'is not a known value', 'FILE_INDEX_POLICY'));
  if (FileRetention[spec.retention] === undefined)
    faults.push(violation('spec.retention', 'is not a known value', 'FILE_RETENTION'));
  return faults;
};
