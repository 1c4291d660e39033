const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML holds it, between tags or in a quoted attribute. */
export const htmlText = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
