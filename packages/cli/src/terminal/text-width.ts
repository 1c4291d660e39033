const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const invisible = /[\p{Mn}\p{Me}\p{Cf}]/u;
const control = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** Columns that a text takes on a terminal; colours take none, wide characters two. */
export const textWidth = (text: string): number => {
  let width = 0;
  for (const character of text.replace(control, '')) {
    if (invisible.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
};

/** The text cut to a width and ending with an ellipsis. Only for text without colours. */
export const cutToWidth = (text: string, columns: number): string => {
  if (textWidth(text) <= columns) return text;
  let cut = '';
  let width = 0;
  for (const character of text) {
    const next = textWidth(character);
    if (width + next > columns - 1) break;
    cut += character;
    width += next;
  }
  return `${cut}…`;
};

const KEPT_BY_JSON = /[\u007f-\u009f]/g;

/** JSON for a terminal: control characters that JSON keeps as they are become escapes of the same value. */
export const harmlessJson = (json: string): string =>
  json.replace(KEPT_BY_JSON, (character) => `\\u00${(character.codePointAt(0) ?? 0).toString(16)}`);

/** YAML for a terminal: as harmlessJson; control characters below the space are escaped already. */
export const harmlessYaml = (yaml: string): string =>
  harmless(yaml.replace(KEPT_BY_JSON, (character) => `\\x${(character.codePointAt(0) ?? 0).toString(16)}`));

/** Makes a text from a server harmless for a terminal: control characters are shown, not obeyed. Line feeds and tabs stay. */
export const harmless = (text: string): string =>
  text.replace(/\r\n/g, '\n').replace(/[\p{Cc}]/gu, (character) => {
    if (character === '\n' || character === '\t') return character;
    const code = character.codePointAt(0) ?? 0;
    return code < 32 ? `^${String.fromCharCode(code + 64)}` : '\ufffd';
  });

/** A text from a server as one line of at most so many columns. */
export const shortLine = (text: string, columns: number): string =>
  cutToWidth(harmless(text.replaceAll(/\s+/g, ' ')), columns);
