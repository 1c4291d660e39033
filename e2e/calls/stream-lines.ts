export interface SseEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Whole lines of a body; ends when the body ends or breaks. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Messages of an NDJSON stream; keep-alive lines are left out. */
export async function* readNdjson<T>(answer: Response): AsyncGenerator<T> {
  if (answer.body === null) throw new Error(`no body, status ${answer.status}`);
  for await (const line of linesOf(answer.body)) if (line.trim() !== '') yield JSON.parse(line) as T;
}

/** Events of an SSE stream; comments are left out. */
export async function* readSse(answer: Response): AsyncGenerator<SseEvent> {
  if (answer.body === null) throw new Error(`no body, status ${answer.status}`);
  let fields: Record<string, string> = {};
  for await (const line of linesOf(answer.body)) {
    if (line === '') {
      if (fields['data'] !== undefined)
        yield { id: fields['id'] ?? '', event: fields['event'] ?? '', data: fields['data'] };
      fields = {};
      continue;
    }
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    fields[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, '');
  }
}
