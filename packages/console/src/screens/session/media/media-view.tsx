import type { SessionMessagePart } from '@svc/api/data';
import type { SessionKey } from '@svc/client';
import { type ReactElement, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Picture } from '../../../ui/picture.tsx';
import { bareType } from '../../../ui/pixel-picture.ts';
import { Problem } from '../../../ui/problem.tsx';
import { saveBlob } from '../../../ui/save-as.ts';
import { sizeText } from '../../../ui/time-texts.ts';
import type { ThreadMessage } from '../conversation/index.ts';
import { texts } from '../texts.ts';
import styles from './media.module.css';
import { type MediaOffer, mediaName, mediaOffer, type PartPlace } from './media-rules.ts';
import { useDownload, usePartContent } from './part-content.ts';
import { useSeen } from './use-seen.ts';

interface MediaProps {
  readonly session: SessionKey;
  readonly message: Pick<ThreadMessage, 'id' | 'isLive'>;
  readonly part: SessionMessagePart;
}

/** Why there is nothing to load. */
const NOTES: Readonly<Partial<Record<MediaOffer, string>>> = {
  unfinished: texts.bytesLater,
  absent: texts.bytesAbsent,
  tooLarge: texts.bytesTooLarge,
};

/** A picture or another file of a message. */
export const MediaView = ({ session, message, part }: MediaProps): ReactElement => {
  const { object } = part;
  const offer = mediaOffer(part, message.isLive);
  const { ns, agent, sessionId } = session;
  const place = { ns, agent, sessionId, messageId: message.id, partId: part.id };
  const size = object && sizeText(Number(object.sizeBytes));
  return (
    <div className={styles.media}>
      {offer === 'picture' && <LazyPicture place={place} part={part} />}
      <div className={styles.file}>
        <Icon name="file" />
        <span>{mediaName(part)}</span>
        <small>{[object?.mediaType, size, NOTES[offer]].filter(Boolean).join(', ')}</small>
        {(offer === 'picture' || offer === 'download') && <Download place={place} name={mediaName(part)} />}
      </div>
    </div>
  );
};

interface LazyPictureProps {
  readonly place: PartPlace;
  readonly part: SessionMessagePart;
}

/** The picture, loaded when its place comes into sight. */
const LazyPicture = ({ place, part }: LazyPictureProps): ReactElement => {
  const [frame, isSeen] = useSeen<HTMLDivElement>();
  const [isBroken, setBroken] = useState(false);
  const found = usePartContent(place, isSeen);
  if (found.error) return <Problem error={found.error} onRetry={() => void found.refetch()} />;
  if (isBroken) return <small>{texts.brokenPicture}</small>;
  return (
    <div ref={frame} className={found.data === undefined ? styles.waiting : undefined} aria-busy={found.isFetching}>
      {found.data !== undefined && (
        <Picture
          bytes={found.data}
          mediaType={bareType(part.object?.mediaType ?? '')}
          alt={mediaName(part)}
          className={styles.picture}
          onBroken={() => setBroken(true)}
        />
      )}
    </div>
  );
};

const Download = ({ place, name }: { readonly place: PartPlace; readonly name: string }): ReactElement => {
  // Bytes without a type are saved and never opened as a page.
  const save = (bytes: ArrayBuffer): void => saveBlob(new Blob([bytes], { type: 'application/octet-stream' }), name);
  const download = useDownload(place, save);
  return download.error ? (
    <Problem error={download.error} onRetry={() => download.mutate()} />
  ) : (
    <Button icon="download" isBusy={download.isPending} onClick={() => download.mutate()}>
      {texts.download}
    </Button>
  );
};
