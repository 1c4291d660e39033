import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a test makes of a request: an HTTP status instead of an answer, a broken or a silent connection. */
export type Disturbance =
  | number
  | 'break'
  | 'break-body'
  | 'silence'
  | { readonly status: number; readonly code: string };

interface Stored {
  readonly bytes: Buffer;
  readonly etag: string;
}

/**
 * The part of the S3 protocol that s3rver lacks, in this process: the SHA-256 of what is put is checked and attested, copies
 * ask whether their source changed, and requests can be disturbed. It checks no signature, only that a signed header came.
 */
export class AttestingServer implements AsyncDisposable {
  readonly bucket = 'svc';
  readonly objects = new Map<string, Stored>();
  /** What `HEAD` says of a checksum. */
  attests: 'whole' | 'parts' | 'nothing' = 'whole';
  /** Asked for each request, in the order they come; undefined = leave it alone. */
  disturb: (request: IncomingMessage, key: string) => Disturbance | undefined = () => undefined;
  /** `METHOD key` of every request that was answered. */
  readonly seen: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<AttestingServer> {
    const made = new AttestingServer();
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  get connection() {
    const { port } = this.#server.address() as AddressInfo;
    const account = { accessKey: 'key-of-the-test', secretKey: 'secret-of-the-test' };
    return { ...account, endpoint: `http://127.0.0.1:${port}`, bucket: this.bucket, region: 'us-east-1' };
  }

  put(key: string, bytes: Buffer): void {
    this.objects.set(key, { bytes, etag: `"${createHash('md5').update(bytes).digest('hex')}"` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://here');
    const key = decodeURIComponent(url.pathname).slice(`/${this.bucket}/`.length);
    const disturbance = this.disturb(request, key);
    if (disturbance === 'silence') return;
    if (disturbance === 'break') return void request.socket.destroy();
    const body = await received(request);
    if (disturbance === 'break-body') {
      response.writeHead(200, { 'content-length': '1000000' });
      response.write('x'.repeat(1_000), () => request.socket.destroy());
      return;
    }
    if (typeof disturbance === 'number') return refuse(response, disturbance, '');
    if (disturbance !== undefined) return refuse(response, disturbance.status, disturbance.code);
    this.seen.push(`${request.method} ${key}`);
    this.#serve(request, response, { url, key, body });
  }

  #serve(request: IncomingMessage, response: ServerResponse, at: { url: URL; key: string; body: Buffer }): void {
    const { url, key } = at;
    const stored = this.objects.get(key);
    if (key === '') return request.method === 'HEAD' ? void response.end() : this.#list(url, response);
    if (request.method === 'PUT') return this.#put(request, response, at);
    if (request.method === 'DELETE') {
      this.objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (stored === undefined) return refuse(response, 404, request.method === 'HEAD' ? '' : 'NoSuchKey');
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const { bytes, etag } = stored;
    const part = first === undefined ? bytes : bytes.subarray(Number(first), Number(last) + 1);
    const place = first === undefined ? {} : { 'content-range': `bytes ${first}-${last}/${bytes.length}` };
    response.writeHead(first === undefined ? 200 : 206, {
      ...{ 'content-length': String(part.length), etag, ...place },
      ...(request.headers['x-amz-checksum-mode'] === 'ENABLED' ? this.#attest(bytes) : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : part);
  }

  #put(request: IncomingMessage, response: ServerResponse, at: { url: URL; key: string; body: Buffer }): void {
    const { headers } = request;
    const signed = (at.url.searchParams.get('X-Amz-SignedHeaders') ?? '').split(';').filter((name) => name !== '');
    if (signed.some((name) => headers[name] === undefined)) return refuse(response, 403, 'SignatureDoesNotMatch');
    const source = headers['x-amz-copy-source'];
    if (source !== undefined) return this.#copy(request, response, { source: String(source), key: at.key });
    const checksum = headers['x-amz-checksum-sha256'];
    const isRight = checksum === undefined || checksum === createHash('sha256').update(at.body).digest('base64');
    if (!isRight) return refuse(response, 400, 'BadDigest');
    this.put(at.key, at.body);
    response.end();
  }

  #copy(request: IncomingMessage, response: ServerResponse, { source, key }: { source: string; key: string }): void {
    const stored = this.objects.get(decodeURIComponent(source).slice(`${this.bucket}/`.length));
    if (stored === undefined) return refuse(response, 404, 'NoSuchKey');
    if (request.headers['x-amz-copy-source-if-match'] !== stored.etag)
      return refuse(response, 412, 'PreconditionFailed');
    this.put(key, stored.bytes);
    response.end(`<CopyObjectResult><ETag>${stored.etag}</ETag></CopyObjectResult>`);
  }

  #list(url: URL, response: ServerResponse): void {
    const [prefix, after] = ['prefix', 'start-after'].map((name) => url.searchParams.get(name) ?? '') as [
      string,
      string,
    ];
    const limit = Number(url.searchParams.get('max-keys'));
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const shown = keys.slice(0, limit).map((key) => `<Contents><Key>${key}</Key></Contents>`);
    response.end(
      `<ListBucketResult><IsTruncated>${keys.length > limit}</IsTruncated>${shown.join('')}</ListBucketResult>`,
    );
  }

  #attest(bytes: Buffer): Record<string, string> {
    const checksum = createHash('sha256').update(bytes).digest('base64');
    if (this.attests === 'nothing') return {};
    return this.attests === 'whole'
      ? { 'x-amz-checksum-sha256': checksum, 'x-amz-checksum-type': 'FULL_OBJECT' }
      : { 'x-amz-checksum-sha256': `${checksum}-2`, 'x-amz-checksum-type': 'COMPOSITE' };
  }
}

const received = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** The account in the text stands for what services quote in their errors. */
const refuse = (response: ServerResponse, status: number, code: string): void => {
  const text = code === '' ? '' : `<Error><Code>${code}</Code><Message>no, key-of-the-test</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(text);
};
