/** The first `maxUnits` UTF-16 units of a text, one less when the cut would part a surrogate pair. */
export const cutText = (text: string, maxUnits: number): string => {
  if (text.length <= maxUnits) return text;
  return text.slice(0, isHighSurrogate(text, maxUnits - 1) ? maxUnits - 1 : maxUnits);
};

/** The last `maxUnits` UTF-16 units of a text, one less when the cut would part a surrogate pair. */
export const cutTextFromEnd = (text: string, maxUnits: number): string => {
  if (text.length <= maxUnits) return text;
  const start = text.length - maxUnits;
  return text.slice(isHighSurrogate(text, start - 1) ? start + 1 : start);
};

const isHighSurrogate = (text: string, index: number): boolean => {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
};
