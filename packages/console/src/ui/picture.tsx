import { type ReactElement, useEffect, useState } from 'react';

interface PictureProps {
  readonly bytes: BlobPart;
  /** One that `isPixelPicture` takes. */
  readonly mediaType: string;
  readonly alt: string;
  readonly className: string | undefined;
  /** The browser could not read the bytes as a picture of the type. */
  readonly onBroken?: (() => void) | undefined;
}

/** A picture of bytes that the page has; its address ends with it. */
export const Picture = ({ bytes, mediaType, alt, className, onBroken }: PictureProps): ReactElement | null => {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: mediaType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, mediaType]);
  return url === undefined ? null : <img className={className} src={url} alt={alt} onError={onBroken} />;
};
