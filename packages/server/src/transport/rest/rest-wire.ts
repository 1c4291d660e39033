import { create, type DescField, type Message, ScalarType } from '@bufbuild/protobuf';
import { Fault, type Steps } from '../../base/index.ts';
import { type BindBody, type ByteLimit, jsonInvalid, sentMetadataOf } from '../../operations/index.ts';
import { type Codec, type EncodeJsonInSteps, utf8Text } from '../codec/index.ts';
import {
  type Call,
  DECODED_AT_ONCE_BYTES,
  type Framing,
  limitedBy,
  type MethodEntry,
  type Wire,
} from '../dispatcher/index.ts';
import { type FaultWriter, httpStatus, notAcceptable, unsupportedMedia } from '../faults/index.ts';
import {
  acceptedEncoding,
  compress,
  type HeaderList,
  LEAST_COMPRESSED_BYTES,
  type OriginRules,
  readRequestBody,
} from '../http/index.ts';
import { addOrigin, refusalHeaders, successHeaders } from './answer-headers.ts';
import { bodyBinder } from './bind-body.ts';
import { bindPath } from './bind-path.ts';
import { bindQuery } from './bind-query.ts';
import { parseTemplate } from './path-template.ts';
import { restFramings, type StreamForm, streamForm } from './stream-framings.ts';

export interface RestParts {
  readonly codec: Codec;
  readonly faults: FaultWriter;
  readonly origins: OriginRules;
  readonly requestLimit: ByteLimit;
}

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;
const yamlType = /^(application|text)\/(x-)?yaml\s*(;.*)?$/i;
const acceptsJson = /(^|[\s,])(\*\/\*|application\/\*|application\/(\w+\+)?json)\s*(;|,|$)/i;

/** One operation over REST: path, query and body to a request, answers to JSON, streams to lines or events. */
export class RestWire implements Wire {
  readonly transport = 'rest';
  readonly #parts: RestParts;
  readonly #method: MethodEntry;
  readonly #pathFields: readonly DescField[];
  readonly #hasBody: boolean;
  /** All of the path's values are texts, as which they arrive. */
  readonly #hasTextPath: boolean;
  /** Field that takes a YAML body. */
  readonly #yamlField: DescField | undefined;
  readonly #bindBody: BindBody;
  readonly #reading: { readonly ignoresUnknown: boolean };
  readonly #encoding: EncodeJsonInSteps;
  readonly #framings: Readonly<Record<StreamForm, Framing>>;
  /** Field that `Last-Event-ID` replaces. */
  readonly #cursorField: DescField | undefined;

  constructor(method: MethodEntry, parts: RestParts) {
    this.#parts = limitedBy(method, parts);
    this.#method = method;
    this.#pathFields = parseTemplate(method.http?.path ?? '/').variables.map((name) => fieldOf(method, name));
    this.#hasBody = method.http?.body === '*';
    this.#hasTextPath = this.#pathFields.every(({ scalar }) => scalar === ScalarType.STRING);
    this.#yamlField = declaredField(method, method.rest?.yamlField);
    this.#reading = { ignoresUnknown: method.rest?.ignoresUnknown === true };
    this.#bindBody = bodyBinder(method, parts.codec.jsonDecoder);
    const encode = parts.codec.json.encoderOf(method.output);
    this.#encoding = parts.codec.json.steppedEncoderOf(method.output);
    this.#framings = restFramings({ encode, faults: parts.faults, origins: parts.origins });
    this.#cursorField = declaredField(method, method.rest?.cursorField);
  }

  timeoutMs(): number | undefined {
    return undefined;
  }

  read(call: Call): void {
    const accept = call.exchange.header('accept');
    if (!this.#method.streaming && accept !== undefined && accept !== '' && !acceptsJson.test(accept))
      throw notAcceptable('application/json');
    if (this.#hasBody) this.#readBody(call);
    else if (call.exchange.hasBody) this.#readNoBody(call);
    else call.execute(this.#fromQuery(call));
  }

  #fromQuery(call: Call): Message {
    const { query } = call.exchange;
    const { input } = this.#method;
    if (query !== '' || this.#method.streaming || !this.#hasTextPath) {
      const json = bindQuery(input.fields, query);
      bindPath(json, this.#pathFields, call.params);
      this.#bindCursor(call, json);
      return this.#parts.codec.jsonDecoder.decode(input, json);
    }
    const message = create(input);
    const target = message as unknown as Record<string, unknown>;
    for (let index = 0; index < this.#pathFields.length; index++) {
      target[this.#pathFields[index]?.localName ?? ''] = call.params[index];
    }
    return message;
  }

  #bindCursor(call: Call, json: Record<string, unknown>): void {
    const field = this.#cursorField;
    if (!this.#method.streaming || field === undefined || (json[field.jsonName] ?? '') !== '') return;
    const last = call.exchange.header('last-event-id');
    if (last !== undefined && last !== '') json[field.jsonName] = last;
  }

  /** A body on GET or DELETE is refused, except `{}`. */
  #readNoBody(call: Call): void {
    readRequestBody(call.exchange, this.#parts.requestLimit, (body) => {
      if (body instanceof Fault) return call.fail(body);
      const text = body.toString('utf8').trim();
      if (text !== '' && !/^\{\s*\}$/.test(text))
        return call.fail(jsonInvalid(`${this.#method.http?.verb ?? ''} takes no body`));
      this.#deliver(call, () => this.#fromQuery(call));
    });
  }

  #readBody(call: Call): void {
    const { exchange } = call;
    const type = exchange.header('content-type') ?? '';
    const isYaml = this.#yamlField !== undefined && yamlType.test(type);
    if (type !== '' && !isYaml && !jsonType.test(type) && exchange.hasBody) {
      throw unsupportedMedia('the body must be application/json', ['accept-post', 'application/json']);
    }
    readRequestBody(exchange, this.#parts.requestLimit, (body) => {
      if (body instanceof Fault) return call.fail(body);
      if (body.length <= DECODED_AT_ONCE_BYTES) this.#deliver(call, () => this.#fromBody(call, utf8Text(body), isYaml));
      else this.#deliverSteps(call, body, isYaml);
    });
  }

  /** A large body: authorised by what the path names, then decoded in steps. */
  #deliverSteps(call: Call, body: Buffer, isYaml: boolean): void {
    try {
      const names = this.#pathFields.map(({ localName }, index) => [localName, call.params[index]]);
      call.authorizeEarly({ names: Object.fromEntries(names), isComplete: false });
      call.executeSteps(this.#decoding(call, body, isYaml));
    } catch (error) {
      call.fail(error);
    }
  }

  *#decoding(call: Call, body: Buffer, isYaml: boolean): Steps<Message> {
    const { jsonDecoder } = this.#parts.codec;
    const { input } = this.#method;
    const text = utf8Text(body);
    yield;
    if (isYaml) return this.#fromBody(call, text, isYaml);
    const json = this.#bound(call, yield* jsonDecoder.parsing(text));
    yield;
    return yield* jsonDecoder.decoding(input, json, this.#reading);
  }

  #fromBody(call: Call, text: string, isYaml: boolean): Message {
    const { jsonDecoder } = this.#parts.codec;
    const { input } = this.#method;
    const query = call.exchange.query;
    if (isYaml) {
      const { jsonName = '' } = this.#yamlField ?? {};
      return jsonDecoder.decode(input, { ...bindQuery(input.fields, query), [jsonName]: text });
    }
    return jsonDecoder.decode(input, this.#bound(call, jsonDecoder.parse(text)), this.#reading);
  }

  /** The request as one object: what the body says and what the path names. A call with a body has no query. */
  #bound(call: Call, body: ReturnType<Codec['jsonDecoder']['parse']>): Record<string, unknown> {
    const { query } = call.exchange;
    if (query !== '') bindQuery([], query);
    const json = this.#bindBody(body, call.params);
    bindPath(json, this.#pathFields, call.params);
    call.sentMetadata = sentMetadataOf(json);
    return json;
  }

  #deliver(call: Call, decode: () => Message): void {
    let request: Message;
    try {
      request = decode();
    } catch (error) {
      return call.fail(error);
    }
    call.execute(request);
  }

  *answering(call: Call, message: object): Steps<void> {
    const { exchange } = call;
    const text = yield* this.#encoding(message);
    const headers = successHeaders(call);
    if (call.origin !== '') addOrigin(headers, call.origin, this.#parts.origins);
    const accept = text.length < LEAST_COMPRESSED_BYTES ? undefined : exchange.header('accept-encoding');
    const encoding = acceptedEncoding(accept, ['br', 'gzip']);
    if (encoding === undefined) return exchange.answer(200, headers, text);
    compress(encoding, typeof text === 'string' ? Buffer.from(text) : text, (error, packed) => {
      if (error === null) exchange.answer(200, withEncoding(headers, encoding), packed);
      else exchange.answer(200, headers, text);
    });
  }

  refuse(call: Call, fault: Fault): void {
    const headers = refusalHeaders(fault, call.requestId);
    addOrigin(headers, call.origin, this.#parts.origins);
    call.exchange.answer(httpStatus(fault), headers, this.#parts.faults.body(fault));
  }

  framing(call: Call): Framing {
    return this.#framings[streamForm(call.exchange.header('accept'))];
  }
}

const withEncoding = (headers: HeaderList, encoding: string): HeaderList => [
  ...headers,
  'content-encoding',
  encoding,
  'vary',
  'accept-encoding',
];

const fieldOf = (method: MethodEntry, name: string): DescField => {
  const field = method.input.fields.find((candidate) => candidate.name === name);
  if (field === undefined || field.fieldKind !== 'scalar')
    throw new Error(`${method.operation}: path names no field ${name}`);
  return field;
};

/** A field that the declaration of the operation names by its local name. */
const declaredField = ({ operation, input }: MethodEntry, name: string | undefined): DescField | undefined => {
  if (name === undefined) return undefined;
  const field = input.fields.find(({ localName }) => localName === name);
  if (field?.fieldKind !== 'scalar') throw new Error(`${operation}: no single field ${name}`);
  return field;
};
