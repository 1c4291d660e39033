import { type StepOmission, type StepPiece, StepRequestState } from '@svc/api/data';
import { type ReactElement, useState } from 'react';
import type { PanelProps } from '../../../app/panels/panel-table.ts';
import { Badge } from '../../../ui/badge.tsx';
import { CopyMenu } from '../../../ui/copy-menu.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { Section } from '../../../ui/page.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { Time } from '../../../ui/time.tsx';
import { durationText, sizeText } from '../../../ui/time-texts.ts';
import { countText, usageText } from '../figures.ts';
import styles from './prompt.module.css';
import { type Prompt, usePrompt, usePromptBefore } from './prompt-data.ts';
import { omissionText, placedPieces, promptBlocks, promptChange, sourceText } from './prompt-pieces.ts';
import { stepAddressOf, stepName } from './step-address.ts';

/** What the model saw at one step, where each piece came from, and what was cut. */
export const StepPanel = ({ panelKey }: PanelProps): ReactElement => {
  const address = stepAddressOf(panelKey);
  const found = usePrompt(address);
  const before = usePromptBefore(address);
  const prompt = found.data;
  const { session, turnId, step, compaction } = address;
  const query = compaction === 0 ? '' : `?compaction=${compaction}`;
  return (
    <div className={styles.panel}>
      <div className={styles.title}>
        <h2>{stepTitle(prompt?.about.step?.kind, step, compaction)}</h2>
        <CopyMenu
          command={`svc prompt ${session.sessionId} ${turnId} ${stepName(address)} -n ${session.ns}`}
          path={`/v1/ns/${session.ns}/agents/${session.agent}/sessions/${session.sessionId}/turns/${turnId}/steps/${step}/request${query}`}
        />
      </div>
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {prompt !== undefined && <PromptView prompt={prompt} before={before.data?.pieces} />}
    </div>
  );
};

const stepTitle = (kind: string | undefined, step: number, compaction: number): string => {
  if (compaction > 0) return `What the summary before step ${step} was made from`;
  return kind === 'harness'
    ? `What the external agent was sent with prompt ${step}`
    : `What the model saw at step ${step}`;
};

interface PromptViewProps {
  readonly prompt: Prompt;
  /** Pieces of the request before; undefined when there is none, or while it is loaded. */
  readonly before: readonly StepPiece[] | undefined;
}

export const PromptView = ({ prompt, before }: PromptViewProps): ReactElement => {
  const { about, pieces, isCut } = prompt;
  const { step } = about;
  const isUnavailable = about.state === StepRequestState.UNAVAILABLE;
  return (
    <>
      <Exactness prompt={prompt} />
      {step?.kind === 'harness' && <p>What the external agent asks its own model is not known here.</p>}
      <Facts
        rows={[
          ['Model', step && `${step.provider}/${step.model}`],
          ['Temperature', step?.temperature],
          ['Thinking', step?.thinkingJson],
          ['Outcome', step?.outcome],
          ['Sent', step && <Time at={step.startedAt} />],
          ['First piece after', step?.firstPieceMs === undefined ? undefined : durationText(step.firstPieceMs)],
          ['Took', step && durationText(step.modelMs)],
          ['Tokens', usageText(step?.usage)],
          ['Request', step && sizeText(Number(step.sentBytes))],
        ]}
      />
      {!isUnavailable && <Blocks pieces={pieces} />}
      {about.omissions.length > 0 && <Omissions omissions={about.omissions} />}
      {!isUnavailable && <Pieces pieces={pieces} before={before} />}
      {isCut && <p>There are more pieces than a page can show; the command shows all.</p>}
    </>
  );
};

const Exactness = ({ prompt: { about } }: { readonly prompt: Prompt }): ReactElement => {
  if (about.state === StepRequestState.EXACT) return <Badge tone="good">Byte for byte what was sent</Badge>;
  const isDifferent = about.state === StepRequestState.DIFFERENT;
  return (
    <div className={styles.notice}>
      <Badge tone="warn">{isDifferent ? 'Not byte for byte what was sent' : 'Cannot be rebuilt'}</Badge>
      <p>{about.explanation || about.reason}</p>
    </div>
  );
};

const Blocks = ({ pieces }: { readonly pieces: readonly StepPiece[] }): ReactElement => {
  const blocks = promptBlocks(pieces);
  return (
    <Section title="Tokens by source">
      <div className={styles.blocks} aria-hidden="true">
        {blocks.map(({ key, source, tokens, share }) => (
          <span
            key={key}
            data-source={source}
            style={{ width: `${share * 100}%` }}
            title={`${sourceText(source)}: ${countText(tokens)} tokens`}
          />
        ))}
      </div>
      <ul className={styles.legend}>
        {blocks.map(({ key, source, tokens, share }) => (
          <li key={key}>
            <span data-source={source} aria-hidden="true" />
            {sourceText(source)}
            <small>{`${countText(tokens)} tokens, ${Math.round(share * 100)} %`}</small>
          </li>
        ))}
      </ul>
    </Section>
  );
};

const Omissions = ({ omissions }: { readonly omissions: readonly StepOmission[] }): ReactElement => (
  <Section title={`Left out: ${omissions.length}`}>
    <ul className={styles.omissions}>
      {omissions.map(({ messageId, reason, tokens }) => (
        <li key={messageId}>
          {omissionText(reason)}
          <small>{tokens > 0n ? `${countText(Number(tokens))} tokens, ${messageId}` : messageId}</small>
        </li>
      ))}
    </ul>
  </Section>
);

const Pieces = ({
  pieces,
  before,
}: Pick<PromptViewProps, 'before'> & { readonly pieces: readonly StepPiece[] }): ReactElement => {
  const [shown, setShown] = useState<'all' | 'new'>('all');
  const change = before && promptChange(before, pieces);
  const listed = shown === 'new' && change !== undefined ? pieces.filter((piece) => change.added.has(piece)) : pieces;
  return (
    <Section
      title="Pieces"
      actions={
        change !== undefined && (
          <Segments
            label="Pieces"
            value={shown}
            options={[
              { value: 'all', label: `All ${pieces.length}` },
              { value: 'new', label: `New since the call before ${change.added.size}` },
            ]}
            onChange={setShown}
          />
        )
      }
    >
      <ol className={styles.pieces}>
        {placedPieces(listed).map(({ key, piece }) => (
          <li key={key}>
            <Piece piece={piece} isNew={change?.added.has(piece) === true} />
          </li>
        ))}
        {shown === 'new' &&
          placedPieces(change?.removed ?? []).map(({ key, piece }) => (
            <li key={`gone ${key}`} className={styles.gone}>
              <Piece piece={piece} isNew={false} isGone />
            </li>
          ))}
      </ol>
    </Section>
  );
};

interface PieceProps {
  readonly piece: StepPiece;
  readonly isNew: boolean;
  /** It was in the call before and is not sent any more. */
  readonly isGone?: boolean;
}

const Piece = ({ piece, isNew, isGone = false }: PieceProps): ReactElement => (
  <details className={styles.piece}>
    <summary>
      <Icon name="right" size={14} />
      <span data-source={piece.source} aria-hidden="true" />
      <strong>{piece.name || sourceText(piece.source)}</strong>
      <span className={styles.brief}>{piece.text.slice(0, 200)}</span>
      {isNew && <Badge tone="busy">new</Badge>}
      {isGone && <Badge tone="calm">gone</Badge>}
      {piece.tokensBeforeCut !== undefined && (
        <Badge tone="warn">{`cut from ${countText(Number(piece.tokensBeforeCut))}`}</Badge>
      )}
      <small>{countText(Number(piece.tokens))}</small>
    </summary>
    <Facts
      rows={[
        ['Source', sourceText(piece.source)],
        ['Role', piece.role],
        ['Form', piece.form],
        ['Message', piece.messageId],
        ['From the cache', piece.cachedTokens > 0n ? `${countText(Number(piece.cachedTokens))} tokens` : undefined],
        ['Address', piece.url],
        ['File', piece.object?.filename],
      ]}
    />
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    {piece.text !== '' && <pre tabIndex={0}>{piece.text}</pre>}
  </details>
);
