import type { ToolResultPart, TryToolResponse } from '@svc/api/gateway';
import type { ReactElement } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { JsonView, parsedOrText } from '../../../ui/json-view.tsx';
import { Picture } from '../../../ui/picture.tsx';
import { isPixelPicture } from '../../../ui/pixel-picture.ts';
import { saveBlob } from '../../../ui/save-as.ts';
import { isWebAddress } from '../../../ui/web-address.ts';
import { texts } from '../texts.ts';
import styles from './tools.module.css';

/** What a tool answered, as the model would read it. */
export const TryAnswer = ({ answer }: { readonly answer: TryToolResponse }): ReactElement => {
  const { ok, content, structuredJson, failureCode, error, signInUrl, tookMs, truncated } = answer;
  return (
    <div className={styles.answer}>
      <p>
        <Badge tone={ok ? 'good' : 'bad'}>{ok ? texts.ran : failureCode || texts.toolFailed}</Badge>{' '}
        {texts.took(String(tookMs))}
      </p>
      {error !== '' && <p>{error}</p>}
      {isWebAddress(signInUrl) && (
        <p>
          <a href={signInUrl} target="_blank" rel="noopener noreferrer">
            {texts.openSignIn}
          </a>
        </p>
      )}
      {error === '' &&
        content.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an answer stay as they came
          <Part key={index} part={part} />
        ))}
      {error === '' && structuredJson !== '' && !repeats(content, structuredJson) && (
        <>
          <h4>{texts.structured}</h4>
          <JsonView value={parsedOrText(structuredJson)} />
        </>
      )}
      {truncated && <p className={styles.soft}>{texts.isCut}</p>}
    </div>
  );
};

/** Whether the texts say the same JSON already. */
const repeats = (content: readonly ToolResultPart[], json: string): boolean =>
  content.length === 1 && JSON.stringify(parsedOrText(content[0]?.text ?? '')) === JSON.stringify(parsedOrText(json));

/** JSON with line breaks, any other text as it is. */
const Text = ({ text }: { readonly text: string }): ReactElement => {
  const value = parsedOrText(text);
  if (typeof value === 'object') return <JsonView value={value} />;
  return <pre className={styles.text}>{text}</pre>;
};

const Part = ({ part }: { readonly part: ToolResultPart }): ReactElement => {
  const { text, mediaType, filename, data, sizeBytes } = part;
  if (mediaType === '') return <Text text={text} />;
  if (data.length === 0 && sizeBytes > 0n)
    return (
      <p>
        {filename} <span className={styles.soft}>{texts.fileLeftOut(mediaType, String(sizeBytes))}</span>
      </p>
    );
  const bytes = new Uint8Array(data);
  return (
    <figure className={styles.file}>
      {isPixelPicture(mediaType) && (
        <Picture bytes={bytes} mediaType={mediaType} alt={filename} className={styles.picture} />
      )}
      <figcaption>
        {filename} <span className={styles.soft}>{mediaType}</span>{' '}
        <Button kind="quiet" icon="download" onClick={() => saveBlob(new Blob([bytes], { type: mediaType }), filename)}>
          {texts.download}
        </Button>
      </figcaption>
    </figure>
  );
};
