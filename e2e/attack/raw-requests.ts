import { connect } from 'node:http2';

/** What came back: an HTTP status, and the texts that say why. */
export interface RawAnswer {
  readonly status: number;
  /** gRPC status of the answer, -1 where there is none. */
  readonly grpcStatus: number;
  readonly text: string;
}

interface RawRequest {
  readonly url: string;
  readonly credential: string;
  readonly type: string;
  readonly body: Uint8Array | string;
}

/** One POST over HTTP/1.1 by hand: bodies that no client library would send. */
export const post = async ({ url, credential, type, body }: RawRequest): Promise<RawAnswer> => {
  const headers = { 'content-type': type, authorization: `Bearer ${credential}`, connection: 'close' };
  const answer = await fetch(url, { method: 'POST', body: body as string, headers });
  const text = await answer.text();
  // gRPC-web puts its trailers behind the messages, in base64 where the call was.
  const trailers = type.includes('web-text') ? Buffer.from(text, 'base64').toString() : text;
  const [, grpcStatus = answer.headers.get('grpc-status') ?? -1] = /grpc-status: ?(\d+)/i.exec(trailers) ?? [];
  return { status: answer.status, grpcStatus: Number(grpcStatus), text: trailers };
};

/** One call over HTTP/2 with the bytes of its message. */
export const grpc = async ({ url, credential, type, body }: RawRequest): Promise<RawAnswer> => {
  const { origin, pathname } = new URL(url);
  const session = connect(origin);
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({
        ':method': 'POST',
        ':path': pathname,
        'content-type': type,
        te: 'trailers',
        authorization: `Bearer ${credential}`,
      });
      const seen = { status: 0, grpcStatus: -1, text: '' };
      const note = (headers: Record<string, unknown>): void => {
        if (headers['grpc-status'] !== undefined) seen.grpcStatus = Number(headers['grpc-status']);
        if (headers['grpc-message'] !== undefined) seen.text += decodeURIComponent(String(headers['grpc-message']));
      };
      stream.on('response', (headers) => {
        seen.status = Number(headers[':status']);
        note(headers);
      });
      stream.on('trailers', note);
      stream.on('error', reject);
      stream.on('close', () => resolve(seen));
      stream.resume();
      stream.end(body);
    });
  } finally {
    session.close();
  }
};

/** A message behind the head of gRPC: flags and its length. */
export const framed = (message: Uint8Array): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};

/** A text field of a protobuf message, shorter than 128 bytes. */
export const textField = (number: number, text: string): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, Buffer.byteLength(text)]), Buffer.from(text)]);

/** So many empty messages in one repeated field. */
export const emptyMessages = (number: number, count: number): Buffer =>
  Buffer.alloc(count * 2, Buffer.from([(number << 3) | 2, 0]));
