/** One server-sent event: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface ServerEvent {
  /** Its topic; `message` where the server gave none. */
  readonly event: string;
  /** The cursor behind it; '' where the server gave none. */
  readonly id: string;
  readonly data: string;
}

/** Cuts text that arrives in pieces into events; comments, which keep the connection open, are left out. */
export class EventLines {
  #rest = '';

  /** The events that `piece` completes. */
  push(piece: string): readonly ServerEvent[] {
    const blocks = (this.#rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => eventOf(block) ?? []);
  }
}

const eventOf = (block: string): ServerEvent | undefined => {
  const fields = block
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => /^([^:]*):? ?(.*)$/s.exec(line) ?? [])
    .map(([, name = '', value = '']) => ({ name, value }));
  if (fields.length === 0) return undefined;
  const last = (wanted: string): string => fields.findLast(({ name }) => name === wanted)?.value ?? '';
  const data = fields.filter(({ name }) => name === 'data').map(({ value }) => value);
  return { event: last('event') || 'message', id: last('id'), data: data.join('\n') };
};
