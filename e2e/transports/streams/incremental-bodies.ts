const HEADER_BYTES = 5;
const TRAILER_FLAG = 0x80;

const bodyOf = (answer: Response): ReadableStream<Uint8Array> => {
  if (answer.status !== 200 || answer.body === null) throw new Error(`status ${answer.status}`);
  return answer.body;
};

/** Elements of a JSON array while it grows. Each element is one line, as the keep-alive blanks between them are not. */
export async function* readJsonArray<T>(answer: Response): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of bodyOf(answer)) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = elementEnd(text); end !== undefined; end = elementEnd(text)) {
      yield JSON.parse(text.slice(text.indexOf('{'), end)) as T;
      text = text.slice(end);
    }
  }
  if (text.trim() !== ']') throw new Error(`the array ends with ${text}`);
}

/** Place behind the first whole object of the text. */
const elementEnd = (text: string): number | undefined => {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted) {
      if (character === '\\') at += 1;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
};

/** Messages of a gRPC-web text body while it grows: every flush is base64 of whole frames. */
export async function* readWebText(answer: Response): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = Buffer.alloc(0);
  for await (const chunk of bodyOf(answer)) {
    text += decoder.decode(chunk, { stream: true });
    const whole = text.length - (text.length % 4);
    const pieces = text.slice(0, whole).match(/[^=]+=*/g) ?? [];
    bytes = Buffer.concat([bytes, ...pieces.map((piece) => Buffer.from(piece, 'base64'))]);
    text = text.slice(whole);
    while (bytes.length >= HEADER_BYTES && bytes.length >= HEADER_BYTES + bytes.readUInt32BE(1)) {
      const end = HEADER_BYTES + bytes.readUInt32BE(1);
      if ((bytes[0]! & TRAILER_FLAG) === 0) yield bytes.subarray(HEADER_BYTES, end);
      else if (!bytes.subarray(HEADER_BYTES, end).toString('latin1').includes('grpc-status: 0'))
        throw new Error(bytes.subarray(HEADER_BYTES, end).toString('latin1'));
      bytes = bytes.subarray(end);
    }
  }
}
