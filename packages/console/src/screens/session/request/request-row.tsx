import type { PermissionRequest, SessionMessagePart } from '@svc/api/data';
import type { SessionKey } from '@svc/client';
import type { ReactElement } from 'react';
import { useCan } from '../../../access/access-context.ts';
import { useWrite } from '../../../api/use-call.ts';
import { Badge } from '../../../ui/badge.tsx';
import { payloadOf, textIn } from '../conversation/index.ts';
import { texts } from '../texts.ts';
import styles from '../thread.module.css';
import { type RequestAnswer, RequestView } from './request-view.tsx';

interface OpenRequestProps {
  readonly session: SessionKey;
  readonly request: PermissionRequest;
}

/** A request that is open, with what answers it. */
export const OpenRequest = ({ session, request }: OpenRequestProps): ReactElement => {
  const can = useCan();
  const answer = useWrite(
    (client, given: RequestAnswer) => client.session(session).answerPermission(request.id, given),
    { changes: { topics: ['turn'] } },
  );
  return (
    <RequestView
      request={request}
      canAnswer={can('operator', session)}
      isBusy={answer.isPending || answer.isSuccess}
      error={answer.error}
      onAnswer={(given) => answer.mutate(given)}
    />
  );
};

interface ClosedRequestProps {
  readonly part: SessionMessagePart;
  /** Undefined when the turn ended without one. */
  readonly answer: SessionMessagePart | undefined;
}

/** A request that needs no answer any more. */
export const ClosedRequest = ({ part, answer }: ClosedRequestProps): ReactElement => {
  return (
    <div className={styles.media}>
      <Outcome part={part} answer={answer} />
      <span>{part.content || part.name}</span>
      {answer !== undefined && (
        <small>
          {[dataOf(answer), textIn(answer, 'comment'), textIn(answer, 'decided_by')].filter(Boolean).join(', ')}
        </small>
      )}
    </div>
  );
};

const Outcome = ({ part, answer }: ClosedRequestProps): ReactElement => {
  if (answer === undefined) return <Badge tone="calm">{texts.closed}</Badge>;
  const asksForData = textIn(part, 'kind') === 'input';
  if (textIn(answer, 'decision').endsWith('ALLOW')) {
    return <Badge tone="good">{asksForData ? texts.answered : texts.allowed}</Badge>;
  }
  return <Badge tone="bad">{asksForData ? texts.declined : texts.denied}</Badge>;
};

/** What the request was answered with, as one line. */
const dataOf = (answer: SessionMessagePart): string => {
  const data = payloadOf(answer)['answer'];
  return data === undefined ? '' : JSON.stringify(data);
};
