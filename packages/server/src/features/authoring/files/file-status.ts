import { create } from '@bufbuild/protobuf';
import { FileIndexPolicy, FileRetention, type FileSpec, type FileStatus, FileStatusSchema } from '@svc/api/resources';
import { type Finding, judgedConditions, messageFromText } from '../../../resources/index.ts';
import { FACT, type ObjectFacts, objectOf, sessionOf, type UploadFacts, uploadOf } from './file-facts.ts';
import { INDEXED_MAX, indexMark, isIndexable } from './file-text.ts';
import { objectKey } from './objects/index.ts';

interface FileSubject {
  readonly namespace: string;
  readonly spec: FileSpec;
  readonly annotations: Readonly<Record<string, string>>;
  readonly generation: number;
  /** Stored status text, '' at creation. */
  readonly status: string;
}

/** The status of a file, computed from its spec and what its record keeps about the bytes. */
export const fileStatus = (subject: FileSubject, now: number): FileStatus => {
  const { annotations, generation } = subject;
  const object = objectOf(annotations);
  const upload = uploadOf(annotations);
  const isDamaged = object !== undefined && annotations[FACT.damaged] === object.sha256;
  const phase = isDamaged ? 'Failed' : object === undefined ? 'Pending' : 'Ready';
  const findings: readonly Finding[] = [
    readyFinding(phase),
    indexed(subject, object),
    intact(object, isDamaged),
    retention(subject.spec),
  ];
  const before =
    subject.status === '' ? [] : (messageFromText(FileStatusSchema, subject.status) as FileStatus).conditions;
  return create(FileStatusSchema, {
    observedGeneration: BigInt(generation),
    phase,
    conditions: judgedConditions(before, { phase, findings }, { now, generation }),
    updatedAt: BigInt(object?.updatedAt ?? 0),
    ...(object === undefined ? {} : { objectRef: objectRef(subject, object) }),
    ...(upload === undefined ? {} : { pendingUpload: pendingUpload(subject, upload) }),
  });
};

const objectRef = ({ namespace, spec }: FileSubject, object: ObjectFacts) => ({
  key: objectKey(namespace, object.sha256),
  // As downloads say it: the media type may change while the bytes stay.
  mediaType: spec.mediaType,
  sizeBytes: BigInt(object.sizeBytes),
  sha256: object.sha256,
  filename: object.filename,
});

const pendingUpload = ({ namespace, annotations }: FileSubject, upload: UploadFacts) => ({
  id: upload.id,
  objectKey: objectKey(namespace, upload.sha256),
  expectedSizeBytes: BigInt(upload.sizeBytes),
  expectedSha256: upload.sha256,
  createdByAgent: sessionOf(annotations)?.agent ?? '',
  createdBySessionId: sessionOf(annotations)?.id ?? '',
  expiresAt: BigInt(upload.expiresAt),
  createdAt: BigInt(upload.createdAt),
});

const readyFinding = (phase: string): Finding =>
  phase === 'Ready'
    ? { type: 'Ready', status: 'True', reason: 'Ready' }
    : { type: 'Ready', status: 'False', reason: phase === 'Failed' ? 'ObjectDamaged' : 'NoContent' };

const indexed = ({ spec, annotations }: FileSubject, object: ObjectFacts | undefined): Finding => {
  const is = (status: Finding['status'], reason: string): Finding => ({ type: 'Indexed', status, reason });
  if (spec.indexPolicy === FileIndexPolicy.NONE) return is('False', 'NotRequested');
  if (object === undefined) return is('False', 'NoContent');
  if (!isIndexable(spec.mediaType)) return is('False', 'UnsupportedMediaType');
  if (object.sizeBytes > INDEXED_MAX) return is('False', 'TooLarge');
  if (annotations[FACT.indexed] !== indexMark(spec, object)) return is('Unknown', 'Indexing');
  return annotations[FACT.unreadable] === object.sha256 ? is('False', 'Unreadable') : is('True', 'Indexed');
};

const intact = (object: ObjectFacts | undefined, isDamaged: boolean): Finding => {
  if (object === undefined) return { type: 'Intact', status: 'Unknown', reason: 'NoContent' };
  return isDamaged
    ? {
        type: 'Intact',
        status: 'False',
        reason: 'ObjectDamaged',
        message: 'the stored bytes are damaged: write them again',
      }
    : { type: 'Intact', status: 'True', reason: 'Intact' };
};

const retention = ({ retention: chosen }: FileSpec): Finding =>
  chosen === FileRetention.UNSPECIFIED
    ? {
        type: 'RetentionSet',
        status: 'False',
        reason: 'RetentionUnset',
        message: 'choose RETAINED, SESSION or EPHEMERAL; the file is kept',
      }
    : { type: 'RetentionSet', status: 'True', reason: 'RetentionSet' };
