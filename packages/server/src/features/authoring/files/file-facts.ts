import { type FileSpec, FileSpecSchema } from '@svc/api/resources';
import { systemOrigin } from '../../../controllers/contract.ts';
import { messageFromText } from '../../../resources/index.ts';
import type { ObjectData } from '../../../runtime/contract.ts';
import type { ResourceKey, ResourceReads, StoredOwner, StoredResource } from '../../../store/contracts/index.ts';
import { objectKey } from './objects/index.ts';

/**
 * What records of files keep about their bytes, as private keys: the status is computed from them, so a write shows
 * bytes and facts at once.
 */
export const FACT = {
  object: 'svc/~object',
  /** A label: the key of the bytes, by which a file is found. */
  objectKey: 'svc/~object-key',
  upload: 'svc/~upload',
  completed: 'svc/~completed-upload',
  indexed: 'svc/~indexed',
  unreadable: 'svc/~unreadable',
  damaged: 'svc/~damaged',
  session: 'svc/~session',
} as const;

/** The bytes a file shows. */
export interface ObjectFacts {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  readonly filename: string;
  /** Micros at which the file got these bytes. */
  readonly updatedAt: number;
}

/** Metadata that a request gives a file. */
export interface GivenMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owners?: readonly StoredOwner[];
  readonly finalizers?: readonly string[];
}

/** An announced upload; what it changes of the spec waits for the bytes. */
export interface UploadFacts {
  readonly id: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly filename: string;
  /** Micros. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Spec as JSON text. */
  readonly spec: string;
  /** What the request says of the metadata of a stored file; what is absent stays. */
  readonly metadata?: GivenMetadata;
  /** True once the bytes of this upload came in whole and right. */
  readonly isReceived: boolean;
}

/** The session that made a file. */
export interface FileSession {
  readonly id: string;
  readonly agent: string;
}

type Annotations = Readonly<Record<string, string>>;

const read = <T>(annotations: Annotations, key: string): T | undefined => {
  const text = annotations[key];
  return text === undefined ? undefined : (JSON.parse(text) as T);
};

/** The stored bytes of a file; undefined while it has none. */
export const objectOf = (annotations: Annotations): ObjectFacts | undefined => read(annotations, FACT.object);
/** The upload that is announced and not completed. */
export const uploadOf = (annotations: Annotations): UploadFacts | undefined => read(annotations, FACT.upload);
/** The session that made the file. */
export const sessionOf = (annotations: Annotations): FileSession | undefined => read(annotations, FACT.session);

/** Typed spec of a stored file. */
export const fileSpec = (record: Pick<StoredResource, 'spec'>): FileSpec =>
  messageFromText(FileSpecSchema, record.spec) as FileSpec;

/** Who holds the bytes of a file; all files of a namespace lie below `file/<ns>`. */
export const fileHolder = (key: ResourceKey, uid: string): string => `file/${key.namespace}/${uid}`;
/** Prefix of the holders of all files of a namespace. */
export const namespaceHolder = (namespace: string): string => `file/${namespace}`;
/** Who holds the bytes of an upload that is not completed. */
export const uploadHolder = (id: string): string => `upload/${id}`;

/** On whose behalf the program itself changes files. */
export const FILES_ORIGIN = systemOrigin('files');

/** The label by which a file with these bytes is found. */
export const objectKeyLabel = (namespace: string, { sha256 }: Pick<ObjectFacts, 'sha256'>) => ({
  [FACT.objectKey]: objectKey(namespace, sha256),
});

/** True for a file that has no such label yet, or that of other bytes: an older release wrote it. */
export const lacksObjectKey = ({ key, annotations, labels }: StoredResource): boolean => {
  const object = objectOf(annotations);
  return object !== undefined && labels[FACT.objectKey] !== objectKey(key.namespace, object.sha256);
};

/** The bytes of a file of a namespace whose object has this key. */
export const fileObject = async (
  { resources }: { readonly resources: Pick<ResourceReads, 'list'> },
  namespace: string,
  key: string,
): Promise<ObjectData | undefined> => {
  const scope = { type: 'namespace', namespace } as const;
  const labels = [{ op: 'in' as const, key: FACT.objectKey, values: [key] }];
  const [record] = await resources.list({ kind: 'File', scope, labels, limit: 1 });
  const object = record === undefined || lacksObjectKey(record) ? undefined : objectOf(record.annotations);
  if (object === undefined) return undefined;
  const { sha256, sizeBytes, mediaType, filename } = object;
  return { key, sha256, sizeBytes, mediaType, filename };
};
