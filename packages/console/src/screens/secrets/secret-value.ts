/** A value as base64, for the text that a person typed. */
export const base64OfText = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));

/** The text of a value in base64, or the number of its bytes when they are not text. */
export const readableValue = (value: string): { readonly text: string } | { readonly bytes: number } => {
  const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? { bytes: bytes.length } : { text };
  } catch {
    // Of bytes that are not UTF-8 only the number is shown.
    return { bytes: bytes.length };
  }
};

/** Whether the spec of a resource, as JSON, names a value of the secret. */
export const namesSecret = (spec: string, name: string): boolean => {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`secret://${escaped}/|"secretRef":"${escaped}/`).test(spec);
};

export const KEY_FORM = /^[A-Za-z0-9._-]{1,253}$/;
