import type { SessionMessagePart } from '@svc/api/data';
import type { ReactElement, ReactNode } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { JsonView } from '../../../ui/json-view.tsx';
import { Markdown } from '../../../ui/markdown.tsx';
import { durationText } from '../../../ui/time-texts.ts';
import { type MessageUsage, payloadOf, type ThreadMessage, textIn } from '../conversation/index.ts';
import { costText, countText } from '../figures.ts';
import { texts } from '../texts.ts';
import styles from '../thread.module.css';

/** What was said: an agent's text formatted, a person's as it was typed. */
export const TextView = ({
  message,
  part,
}: {
  readonly message: ThreadMessage;
  readonly part: SessionMessagePart;
}): ReactElement =>
  message.role === 'assistant' ? <Markdown text={part.content} /> : <p className={styles.said}>{part.content}</p>;

/** Something that is folded until the person wants it. */
const Fold = ({ summary, children }: { readonly summary: ReactNode; readonly children: ReactNode }): ReactElement => (
  <details className={styles.fold}>
    <summary>
      <Icon name="right" size={14} />
      {summary}
    </summary>
    <div className={styles.inside}>{children}</div>
  </details>
);

/** What the model thought before it answered. */
export const ReasoningView = ({
  part,
  isLive,
}: {
  readonly part: SessionMessagePart;
  readonly isLive: boolean;
}): ReactElement => (
  <Fold
    summary={
      <>
        <span>{isLive ? texts.thinking : texts.reasoning}</span>
        <span className={styles.brief}>{part.content.slice(-200)}</span>
      </>
    }
  >
    <div className={styles.thought}>
      <Markdown text={part.content} />
    </div>
  </Fold>
);

/** A message that stands for older ones, for the model. */
export const CompactionView = ({ part }: { readonly part: SessionMessagePart }): ReactElement => (
  <Fold summary={<span>{texts.compaction}</span>}>
    <Markdown text={part.content} />
  </Fold>
);

interface ToolProps {
  readonly call: SessionMessagePart;
  readonly result: SessionMessagePart | undefined;
  /** The turn is still running, so that a result may still come. */
  readonly isLive: boolean;
}

/** A call of a tool: name and outcome at a glance, input and output inside. */
export const ToolView = ({ call, result, isLive }: ToolProps): ReactElement => {
  const input = payloadOf(call)['input'];
  const isError = result !== undefined && payloadOf(result)['is_error'] === true;
  const tookMs = result === undefined ? undefined : Number(result.createdAt - call.createdAt) / 1_000;
  return (
    <Fold
      summary={
        <>
          <code>{call.name}</code>
          <span className={styles.brief}>{briefInput(input)}</span>
          {tookMs !== undefined && tookMs >= 0 && <small>{durationText(tookMs)}</small>}
          <ToolState hasResult={result !== undefined} isError={isError} isLive={isLive} />
        </>
      }
    >
      <h4>{texts.input}</h4>
      <JsonView value={input ?? {}} />
      {result !== undefined && (
        <>
          <h4>{texts.output}</h4>
          <Output part={result} />
        </>
      )}
    </Fold>
  );
};

const ToolState = (props: {
  readonly hasResult: boolean;
  readonly isError: boolean;
  readonly isLive: boolean;
}): ReactElement | null => {
  if (props.isError) return <Badge tone="bad">{texts.failed}</Badge>;
  if (props.hasResult) return <Badge tone="good">{texts.done}</Badge>;
  return props.isLive ? <Badge tone="busy">{texts.running}</Badge> : null;
};

const briefInput = (input: unknown): string => {
  const text = JSON.stringify(input) ?? '';
  return text === '{}' ? '' : text.slice(0, 300);
};

const Output = ({ part }: { readonly part: SessionMessagePart }): ReactElement => {
  const { output } = payloadOf(part);
  const isWhole = part.object === undefined && payloadOf(part)['truncated'] !== true;
  return (
    <>
      {part.content !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre className={styles.output} tabIndex={0}>
          {part.content}
        </pre>
      )}
      {typeof output === 'object' && output !== null && <JsonView value={output} />}
      {!isWhole && <small>{texts.wholeOutput}</small>}
    </>
  );
};

/** Why a turn failed. */
export const FailureView = ({ part }: { readonly part: SessionMessagePart }): ReactElement => (
  <div className={styles.failure}>
    <Icon name="warning" />
    <div>
      <p>{part.content}</p>
      <small>
        {[textIn(part, 'code'), textIn(part, 'reason'), textIn(part, 'error_id')].filter(Boolean).join(' / ')}
      </small>
    </div>
  </div>
);

/** What a reply took. */
export const UsageView = ({ usage }: { readonly usage: MessageUsage }): ReactElement => (
  <p className={styles.usage}>
    {[
      usage.calls === 1 ? '1 model call' : `${usage.calls} model calls`,
      `${countText(usage.inputTokens)} tokens in`,
      `${countText(usage.outputTokens)} out`,
      usage.costMicros === undefined ? '' : costText(usage.costMicros),
    ]
      .filter(Boolean)
      .join(', ')}
  </p>
);
