const FENCE = '```';

/**
 * Cuts markdown into parts that a platform takes: between paragraphs, else lines, else words, else anywhere but inside a character.
 * A code block that is cut is closed and opened again. Always the same parts for the same text; one empty part for no text.
 */
export function splitText(text: string, limit: number): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  // Room to close a code block in one part and to open it again in the next.
  const room = limit - 2 * (FENCE.length + 1);
  while (rest.length > limit) {
    const end = placeToCut(rest, room);
    const part = rest.slice(0, end).trimEnd();
    const isInCode = part.split(FENCE).length % 2 === 0;
    parts.push(isInCode ? `${part}\n${FENCE}` : part);
    rest = isInCode ? `${FENCE}\n${rest.slice(end).replace(/^\n+/, '')}` : rest.slice(end).trimStart();
  }
  return [...parts, rest];
}

function placeToCut(text: string, room: number): number {
  for (const separator of ['\n\n', '\n', ' ']) {
    const found = text.lastIndexOf(separator, room);
    // A cut near the beginning would make many tiny parts.
    if (found > room / 4) return found;
  }
  const isInsideCharacter = /[\uD800-\uDBFF]/.test(text.charAt(room - 1));
  return isInsideCharacter ? room - 1 : room;
}
