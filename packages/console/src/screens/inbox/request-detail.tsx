import { PermissionDecision } from '@svc/api/data';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { addresses, Goto } from '../../app/address.tsx';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { JsonView, parsedOrText } from '../../ui/json-view.tsx';
import { Problem } from '../../ui/problem.tsx';
import { initialValue, type JsonSchema, schemaOf } from '../../ui/schema/schema.ts';
import { type Problems, problemsOf } from '../../ui/schema/schema-problems.ts';
import { SchemaForm } from '../../ui/schema-form.tsx';
import { DetailFrame } from './detail-frame.tsx';
import styles from './inbox.module.css';
import { useAnswer } from './inbox-data.ts';
import type { RequestItem } from './inbox-item.ts';
import { texts } from './texts.ts';

interface RequestDetailProps {
  readonly item: RequestItem;
  readonly equal: readonly RequestItem[];
  readonly onDone: (count: number) => void;
}

/** A request of a turn, of any of the four kinds. */
export const RequestDetail = (props: RequestDetailProps): ReactElement => {
  const { item } = props;
  const { request } = item;
  const can = useCan();
  const mayAnswer = can('operator', { ns: request.ns, agent: request.agent, sessionId: request.sessionId });
  return (
    <DetailFrame
      item={item}
      trailId={request.turnId}
      facts={[
        [
          texts.agentName,
          <Goto key="agent" to={addresses.agent(request.ns, request.agent)}>
            {request.agent}
          </Goto>,
        ],
        [
          texts.session,
          <Goto key="session" to={addresses.session(request.ns, request.agent, request.sessionId)}>
            {request.sessionId}
          </Goto>,
        ],
        [texts.tool, request.action],
        [texts.account, request.identity],
      ]}
      answers={mayAnswer ? <Answers {...props} /> : undefined}
    >
      {request.inputJson !== '' && request.kind !== 'input' && (
        <section className={styles.about}>
          <h3>{texts.arguments}</h3>
          <JsonView value={parsedOrText(request.inputJson)} />
        </section>
      )}
    </DetailFrame>
  );
};

const ANYTHING: JsonSchema = {};
const NONE: Problems = new Map();

const Answers = ({ item: { request }, equal, onDone }: RequestDetailProps): ReactElement => {
  const answer = useAnswer(onDone);
  const [comment, setComment] = useState('');
  const [isForAll, setForAll] = useState(false);
  const isInput = request.kind === 'input';
  const schema = schemaOf(request.schemaJson) ?? ANYTHING;
  const [value, setValue] = useState<unknown>(() => initialValue(schema));
  const [problems, setProblems] = useState(NONE);
  const send = (isAllowed: boolean, optionId: string): void => {
    const found = isInput && isAllowed ? problemsOf(schema, value) : NONE;
    setProblems(found);
    if (found.size > 0 || answer.isPending) return;
    const answerJson = isInput && isAllowed ? JSON.stringify(value ?? null) : '';
    answer.mutate({ items: isForAll ? equal : equal.slice(0, 1), isAllowed, optionId, comment, answerJson });
  };
  const allowing = request.options.filter(({ decision }) => decision === PermissionDecision.ALLOW);
  const denying = request.options.filter(({ decision }) => decision === PermissionDecision.DENY);
  const [firstAllow] = allowing.toSorted((one, other) => Number(one.remember) - Number(other.remember));
  const canAllow = request.kind !== 'sign_in';
  useKey({ keys: 'a', does: texts.answer, run: () => send(true, firstAllow?.id ?? '') }, canAllow);
  useKey({ keys: 'mod+Enter', does: texts.answer, run: () => send(true, firstAllow?.id ?? '') }, isInput);
  useKey({ keys: 'd', does: texts.decline, run: () => send(false, denying[0]?.id ?? '') });
  return (
    <>
      {isInput && (
        <SchemaForm schema={schema} value={value} onChange={setValue} problems={problems} label={request.prompt} />
      )}
      <TextField label={texts.comment} hint={texts.commentHint} value={comment} onChange={setComment} />
      {equal.length > 1 && <Checkbox label={texts.equal(equal.length)} checked={isForAll} onChange={setForAll} />}
      {answer.error && <Problem error={answer.error} />}
      <div className={styles.buttons}>
        {isInput && (
          <Button kind="primary" icon="send" shortcut="a" isBusy={answer.isPending} onClick={() => send(true, '')}>
            {texts.answer}
          </Button>
        )}
        {request.kind === 'sign_in' && (
          <a className={styles.signIn} href={request.url} target="_blank" rel="noopener noreferrer">
            {texts.openSignIn}
          </a>
        )}
        {canAllow &&
          !isInput &&
          allowing.map((option) => (
            <Button
              key={option.id}
              kind={option === firstAllow ? 'primary' : 'normal'}
              {...(option === firstAllow && { shortcut: 'a' })}
              isBusy={answer.isPending}
              onClick={() => send(true, option.id)}
            >
              {option.name}
            </Button>
          ))}
        {(denying.length === 0 ? [{ id: '', name: texts.decline }] : denying).map((option, index) => (
          <Button
            key={option.id}
            kind="danger"
            {...(index === 0 && { shortcut: 'd' })}
            isBusy={answer.isPending}
            onClick={() => send(false, option.id)}
          >
            {option.name}
          </Button>
        ))}
      </div>
    </>
  );
};
