/** Breaks a text at spaces into lines of at most so many columns, each behind an indent; [] for an empty text. */
export const wrapText = (text: string, columns: number, indent: string): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((piece) => piece !== '')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > columns) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  return lines.map((each) => `${indent}${each}`);
};
