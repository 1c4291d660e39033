import type { ModelContent, ModelFacts, ModelMedia, ModelRequest } from './contract.ts';

type Input = ModelFacts['inputs'][number];

/** Which kind of input a medium is. */
export const inputKind = (media: ModelMedia): Input => {
  const top = media.mediaType.split('/', 1)[0];
  return top === 'image' || top === 'audio' || top === 'video' ? top : 'file';
};

/** The line that stands for a medium the model cannot take. */
const mediaLine = (media: ModelMedia): string => `[${media.mediaType} ${media.filename}]`;

/** The request with media that `isTaken` refuses replaced by lines that name them; the same object when all are taken. */
export const withTakenMedia = (
  request: ModelRequest,
  isTaken: (media: ModelMedia) => boolean,
): { readonly request: ModelRequest; readonly left: readonly ModelMedia[] } => {
  const left: ModelMedia[] = [];
  const replace = (part: ModelContent): ModelContent => {
    if (part.type !== 'media' || isTaken(part.media)) return part;
    left.push(part.media);
    return { type: 'text', text: mediaLine(part.media), isAdded: true };
  };
  const messages = request.messages.map((message) =>
    message.content.some((part) => part.type === 'media')
      ? { ...message, content: message.content.map(replace) }
      : message,
  );
  return left.length === 0 ? { request, left } : { request: { ...request, messages }, left };
};
