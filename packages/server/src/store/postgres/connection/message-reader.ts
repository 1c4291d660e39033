/** Length of the type and the size of a message. */
const HEAD = 5;

/** One message: its type, and where its contents begin and end in `bytes`. All of it is used again for the next one. */
export interface Message {
  readonly type: number;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Cuts what a server sends into messages of the protocol, wherever the pieces of the wire begin and end. */
export class MessageReader {
  readonly #take: (message: Message) => void;
  readonly #message: { -readonly [Field in keyof Message]: Message[Field] } = {
    type: 0,
    bytes: Buffer.alloc(0),
    start: 0,
    end: 0,
  };
  /** Beginning of a message whose rest has not come. */
  #rest: Buffer | undefined;

  constructor(take: (message: Message) => void) {
    this.#take = take;
  }

  read(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    const message = this.#message;
    message.bytes = bytes;
    let at = 0;
    while (at + HEAD <= bytes.length) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (end > bytes.length) break;
      message.type = bytes[at] ?? 0;
      message.start = at + HEAD;
      message.end = end;
      this.#take(message);
      at = end;
    }
    this.#rest = at === bytes.length ? undefined : bytes.subarray(at);
  }
}

/** Where a text that ends with NUL ends. */
const endOfText = (bytes: Buffer, at: number): number => bytes.indexOf(0, at);

/** Fields of ErrorResponse and NoticeResponse by their letter: S severity, C SQLSTATE, M message. */
export const readFields = ({ bytes, start }: Message): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>();
  for (let at = start; (bytes[at] ?? 0) !== 0; ) {
    const end = endOfText(bytes, at + 1);
    fields.set(String.fromCharCode(bytes[at] ?? 0), bytes.toString('utf8', at + 1, end));
    at = end + 1;
  }
  return fields;
};

/** Columns of a RowDescription: name and type number. */
export const readColumns = ({
  bytes,
  start,
}: Message): readonly { readonly name: string; readonly typeId: number }[] => {
  const columns: { readonly name: string; readonly typeId: number }[] = [];
  let at = start + 2;
  for (let left = bytes.readUInt16BE(start); left > 0; left--) {
    const end = endOfText(bytes, at);
    columns.push({ name: bytes.toString('utf8', at, end), typeId: bytes.readUInt32BE(end + 7) });
    at = end + 19;
  }
  return columns;
};
