import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { DecodeReport } from '../decode-report.ts';

/** A JSON object as it was parsed. */
export type Json = Record<string, unknown>;

/** Rewrites the body of one operation to the JSON of its request; `params` are the path values in order. */
export type BindBody = (body: Json, params: readonly string[]) => Json;

/** Reads JSON into a message, adding what is wrong to a report; `at` is where the object is. */
export interface JsonReader {
  read(desc: DescMessage, json: Json, place: { readonly report: DecodeReport; readonly at: string }): Message;
}

/** What the form of a body is made for. */
interface BodyPlace {
  /** Message of the request. */
  readonly input: DescMessage;
  /** Names of the variables in the path, in order. */
  readonly variables: readonly string[];
  readonly reader: JsonReader;
}

/** The form of an operation's REST body where it is not simply the JSON of the request. Made into code once, at the start. */
export type BodyForm = (place: BodyPlace) => BindBody;
