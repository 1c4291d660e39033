/** Pictures of pixels. SVG can hold scripts and is none of them. */
const PIXELS = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);

/** The media type in small letters and without its parameters. */
export const bareType = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

/** Whether a browser can show content of this media type as a picture, with nothing in it that could be run. */
export const isPixelPicture = (mediaType: string): boolean => PIXELS.has(bareType(mediaType));
