import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Caller, codeNames, errorOf, jsonOf, type Outcome } from './outcome.ts';
import { readStatusDetails } from './rpc-status.ts';

const HEADER_BYTES = 5;
const TRAILER_FLAG = 0x80;

interface Frame {
  readonly isTrailer: boolean;
  readonly payload: Buffer;
}

/** gRPC-web text as browsers without binary bodies speak it: base64 both ways, trailers in the last frame. */
export const grpcWebTextCaller = (baseUrl: string): Caller => ({
  name: 'grpc-web-text',
  close: () => undefined,
  call: async (method, request): Promise<Outcome> => {
    const answer = await fetch(baseUrl + method.rpcPath, {
      method: 'POST',
      headers: {
        'content-type': 'application/grpc-web-text+proto',
        accept: 'application/grpc-web-text+proto',
        'x-grpc-web': '1',
      },
      body: frameOf(toBinary(method.input, request)).toString('base64'),
    });
    const frames = readFrames(decodeText(await answer.text()));
    const messages = frames
      .filter((frame) => !frame.isTrailer)
      .map((frame) => jsonOf(method, fromBinary(method.output, frame.payload)));
    const trailer = frames.find((frame) => frame.isTrailer)?.payload.toString('latin1');
    const fields = trailer === undefined ? answer.headers : new Headers(trailer.trim().split('\r\n').map(splitField));
    const code = codeNames[Number(fields.get('grpc-status'))] ?? `no status, HTTP ${answer.status}`;
    if (code === 'OK') return { messages };
    const details = fields.get('grpc-status-details-bin');
    return {
      messages,
      error: errorOf(
        code,
        decodeURIComponent(fields.get('grpc-message') ?? ''),
        details === null ? [] : readStatusDetails(Buffer.from(details, 'base64')),
      ),
    };
  },
});

const frameOf = (message: Uint8Array): Buffer => {
  const frame = Buffer.alloc(HEADER_BYTES + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, HEADER_BYTES);
  return frame;
};

/** The body is one or more base64 texts, each with its own padding. */
const decodeText = (text: string): Buffer =>
  Buffer.concat((text.match(/[^=]+=*/g) ?? []).map((piece) => Buffer.from(piece, 'base64')));

const readFrames = (body: Buffer): readonly Frame[] => {
  const frames: Frame[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + HEADER_BYTES + body.readUInt32BE(at + 1);
    frames.push({ isTrailer: (body[at]! & TRAILER_FLAG) !== 0, payload: body.subarray(at + HEADER_BYTES, end) });
    at = end;
  }
  return frames;
};

const splitField = (line: string): [string, string] => {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
};
