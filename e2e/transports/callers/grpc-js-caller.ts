import { fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { Method } from '@svc/api/methods';
import { callDeadlineMs } from './call-deadline.ts';
import { type CallError, type Caller, codeNames, errorOf, jsonOf, type Outcome } from './outcome.ts';
import { readStatusDetails } from './rpc-status.ts';

/** gRPC through grpc-js, the client most Node.js programs use. */
export const grpcJsCaller = (address: string): Caller => {
  const client = new Client(address, credentials.createInsecure());
  return {
    name: 'grpc-js',
    close: () => client.close(),
    call: (method, request) =>
      method.kind === 'unary' ? unary(client, method, request) : stream(client, method, request),
  };
};

const codecs = (method: Method) => ({
  serialize: (message: Message) => Buffer.from(toBinary(method.input, message)),
  deserialize: (bytes: Buffer) => fromBinary(method.output, bytes),
});
const options = (request: Message) => ({ deadline: Date.now() + callDeadlineMs(request) });

const unary = (client: Client, method: Method, request: Message): Promise<Outcome> =>
  new Promise((resolve) => {
    const { serialize, deserialize } = codecs(method);
    client.makeUnaryRequest(
      method.rpcPath,
      serialize,
      deserialize,
      request,
      new Metadata(),
      options(request),
      (error, answer) => {
        if (error !== null) resolve({ messages: [], error: grpcError(error) });
        else if (answer === undefined) resolve({ messages: [] });
        else resolve({ messages: [jsonOf(method, answer)] });
      },
    );
  });

const stream = async (client: Client, method: Method, request: Message): Promise<Outcome> => {
  const { serialize, deserialize } = codecs(method);
  const call = client.makeServerStreamRequest(
    method.rpcPath,
    serialize,
    deserialize,
    request,
    new Metadata(),
    options(request),
  );
  const messages: ReturnType<typeof jsonOf>[] = [];
  try {
    for await (const message of call) messages.push(jsonOf(method, message as Message));
    return { messages };
  } catch (error) {
    return { messages, error: grpcError(error as ServiceError) };
  }
};

/** Status, text and details of a failed call. */
export const grpcError = (error: ServiceError): CallError => {
  const [details] = error.metadata.get('grpc-status-details-bin');
  return errorOf(
    codeNames[error.code] ?? String(error.code),
    error.details,
    details === undefined ? [] : readStatusDetails(details as Buffer),
  );
};
