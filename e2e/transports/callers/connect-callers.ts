import type { DescMethodStreaming, DescMethodUnary } from '@bufbuild/protobuf';
import { type Message, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from '@connectrpc/connect-node';
import type { Method } from '@svc/api/methods';
import { callDeadlineMs } from './call-deadline.ts';
import { type CallError, type Caller, codeNames, errorOf, jsonOf, type Outcome } from './outcome.ts';
import { readDetail } from './rpc-status.ts';

/** Any transport of connect-es as a caller. */
const transportCaller = (name: string, transport: Transport, close: () => void = () => undefined): Caller => ({
  name,
  close,
  call: async (method, request) => {
    const { descriptor } = method;
    if (descriptor.methodKind === 'server_streaming') return readStream(transport, method, request);
    try {
      const answer = await transport.unary(
        descriptor as DescMethodUnary,
        undefined,
        callDeadlineMs(request),
        undefined,
        request,
      );
      return { messages: [jsonOf(method, answer.message)] };
    } catch (error) {
      return { messages: [], error: connectError(error) };
    }
  },
});

const readStream = async (transport: Transport, method: Method, request: Message): Promise<Outcome> => {
  const messages: ReturnType<typeof jsonOf>[] = [];
  async function* input(): AsyncGenerator<Message> {
    yield request;
  }
  try {
    const answer = await transport.stream(
      method.descriptor as DescMethodStreaming,
      undefined,
      callDeadlineMs(request),
      undefined,
      input(),
    );
    for await (const message of answer.message) messages.push(jsonOf(method, message));
    return { messages };
  } catch (error) {
    return { messages, error: connectError(error) };
  }
};

const connectError = (thrown: unknown): CallError => {
  const error = ConnectError.from(thrown);
  const details = error.details.map((detail) => {
    if ('desc' in detail) return readDetail(detail.desc.typeName, toBinary(detail.desc, detail.value as Message));
    return readDetail(detail.type, detail.value);
  });
  return errorOf(codeNames[error.code] ?? Code[error.code], error.rawMessage, details);
};

/** gRPC through connect-node over cleartext HTTP/2. */
export const grpcCaller = (baseUrl: string): Caller => {
  const sessionManager = new Http2SessionManager(baseUrl);
  return transportCaller('grpc', createGrpcTransport({ baseUrl, sessionManager }), () => sessionManager.abort());
};

/** gRPC-web binary or JSON through connect-node. */
export const grpcWebCaller = (baseUrl: string, options: { readonly binary: boolean }): Caller =>
  transportCaller(
    options.binary ? 'grpc-web' : 'grpc-web+json',
    createGrpcWebTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: options.binary }),
  );

/** Connect through connect-node: messages as proto or JSON, reads as GET when `get`. */
export const connectCaller = (
  baseUrl: string,
  options: { readonly binary: boolean; readonly get: boolean },
): Caller => {
  const names = ['connect', options.binary ? 'proto' : 'json', ...(options.get ? ['get'] : [])];
  const sessionManager = new Http2SessionManager(baseUrl);
  const transport = createConnectTransport({
    baseUrl,
    httpVersion: '2',
    sessionManager,
    useBinaryFormat: options.binary,
    useHttpGet: options.get,
  });
  return transportCaller(names.join(' '), transport, () => sessionManager.abort());
};
