import type { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { UploadLink } from '../../contracts/index.ts';
import { fromBase64, toBase64 } from './checksum.ts';
import { isChanged, isMissing, isMissingHead, toStartFault, toStorageFault } from './s3-faults.ts';

/** What the service says of a stored thing. */
export interface HeadFacts {
  readonly sizeBytes: number;
  /** Changes with the bytes. */
  readonly etag: string;
  /** The SHA-256 of the whole as the service computed it, lower-case hex; undefined when it attests none. */
  readonly sha256: string | undefined;
}

/** Bytes on their way from the service; `bytes` throws Fault UNAVAILABLE when the connection breaks. */
export interface FoundBytes {
  readonly sizeBytes: number;
  /** Where `bytes` begins in the whole: a service may send more than it was asked for. */
  readonly start: number;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Ends the answer, however much of it was read: until then it keeps its connection. */
  discard(): void;
}

export interface NamedBytes {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** Keys one listing answers at most. */
export const LIST_MAX = 1_000;

/** One bucket, in the words of the S3 protocol. All but `put` throw Fault UNAVAILABLE STORAGE when the service fails. */
export class S3Bucket {
  readonly #client: S3Client;
  readonly #name: string;
  readonly #openMs: number;

  /** A check of the bucket fails after `openMs`: who asks whether it is there does not wait for a full timeout. */
  constructor(client: S3Client, name: string, openMs: number) {
    this.#client = client;
    this.#name = name;
    this.#openMs = openMs;
  }

  /** Throws FAILED_PRECONDITION OBJECTS_UNUSABLE when bucket, region or credentials are wrong. */
  async open(): Promise<void> {
    try {
      const abortSignal = AbortSignal.timeout(this.#openMs);
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#name }), { abortSignal });
    } catch (error) {
      throw toStartFault(error);
    }
  }

  /** Undefined for a key that is not there. */
  async head(key: string): Promise<HeadFacts | undefined> {
    const found = await this.#asked(
      () => this.#client.send(new HeadObjectCommand({ ...this.#at(key), ChecksumMode: 'ENABLED' })),
      isMissingHead,
    );
    if (found === undefined) return undefined;
    const { ContentLength: sizeBytes = 0, ETag: etag = '', ChecksumSHA256: checksum } = found;
    return { sizeBytes, etag, sha256: fromBase64(checksum) };
  }

  /** Bytes [start, end), which must lie within the whole, or all; undefined for a key that is not there. */
  async get(key: string, span?: { readonly start: number; readonly end: number }): Promise<FoundBytes | undefined> {
    const part = span === undefined ? {} : { Range: `bytes=${span.start}-${span.end - 1}` };
    const answer = await this.#asked(
      () => this.#client.send(new GetObjectCommand({ ...this.#at(key), ...part })),
      isMissing,
    );
    if (answer === undefined) return undefined;
    const { ContentRange: range = '', ContentLength: length = 0, Body: body } = answer;
    const [, start = 0, total = length] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range) ?? [];
    return {
      sizeBytes: Number(total),
      start: Number(start),
      bytes: received(body as Readable),
      discard: () => void (body as Readable).destroy(),
    };
  }

  /**
   * Stores the bytes; the service refuses others where it checks the SHA-256. A stream is sent once, anything else is repeated.
   * Throws what the client throws: who sends a stream has to judge it.
   */
  async put(key: string, body: Uint8Array | Readable, { sha256, sizeBytes }: NamedBytes): Promise<void> {
    const bytes = { Body: body, ContentLength: sizeBytes, ChecksumSHA256: toBase64(sha256) };
    await this.#client.send(
      new PutObjectCommand({ ...this.#at(key), ...bytes, ContentType: 'application/octet-stream' }),
    );
  }

  /** Copies within the service what `etag` says; false when it is gone or others have come since. */
  async copy(from: { readonly key: string; readonly etag: string }, to: string): Promise<boolean> {
    const source = {
      CopySource: [this.#name, ...from.key.split('/')].map(encodeURIComponent).join('/'),
      CopySourceIfMatch: from.etag,
    };
    const copied = await this.#asked(
      () => this.#client.send(new CopyObjectCommand({ ...this.#at(to), ...source })),
      (error) => isMissing(error) || isChanged(error),
    );
    return copied !== undefined;
  }

  async remove(key: string): Promise<void> {
    await this.#asked(() => this.#client.send(new DeleteObjectCommand(this.#at(key))), isMissing);
  }

  /** Keys behind `prefix` that come after `after` ('' = all), ascending, at most `limit` or LIST_MAX. */
  async list(
    prefix: string,
    after: string,
    limit: number,
  ): Promise<{ readonly keys: readonly string[]; readonly hasMore: boolean }> {
    const wanted = {
      Bucket: this.#name,
      Prefix: prefix,
      MaxKeys: Math.min(limit, LIST_MAX),
      ...(after === '' ? {} : { StartAfter: after }),
    };
    const page = await this.#asked(
      () => this.#client.send(new ListObjectsV2Command(wanted)),
      () => false,
    );
    const keys = (page?.Contents ?? []).flatMap(({ Key: key }) => (key === undefined ? [] : [key]));
    return { keys, hasMore: page?.IsTruncated === true };
  }

  /** A signed link for one PUT of exactly these bytes: size and SHA-256 are part of the signature. */
  async signedPut(key: string, { sha256, sizeBytes }: NamedBytes, seconds: number): Promise<UploadLink> {
    const headers = { [CHECKSUM_HEADER]: toBase64(sha256) };
    const command = new PutObjectCommand({
      ...this.#at(key),
      ContentLength: sizeBytes,
      ChecksumSHA256: headers[CHECKSUM_HEADER],
    });
    const signed = {
      unhoistableHeaders: new Set([CHECKSUM_HEADER]),
      signableHeaders: new Set(['host', 'content-length', CHECKSUM_HEADER]),
    };
    try {
      return { url: await getSignedUrl(this.#client, command, { expiresIn: seconds, ...signed }), headers };
    } catch (error) {
      throw toStorageFault(error);
    }
  }

  #at(key: string) {
    return { Bucket: this.#name, Key: key };
  }

  async #asked<T>(ask: () => Promise<T>, isNothing: (error: unknown) => boolean): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (isNothing(error)) return undefined;
      throw toStorageFault(error);
    }
  }
}

const CHECKSUM_HEADER = 'x-amz-checksum-sha256';

async function* received(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw toStorageFault(error);
  }
}
