import { PermissionDecision, type PermissionRequest } from '@svc/api/data';
import { type ReactElement, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { JsonView, parsedOrText } from '../../../ui/json-view.tsx';
import { linkAddress } from '../../../ui/markdown/safe-address.ts';
import { Problem } from '../../../ui/problem.tsx';
import { initialValue, schemaOf } from '../../../ui/schema/schema.ts';
import { type Problems, problemsOf } from '../../../ui/schema/schema-problems.ts';
import { SchemaForm } from '../../../ui/schema-form.tsx';
import { Time } from '../../../ui/time.tsx';
import { texts } from '../texts.ts';
import styles from '../thread.module.css';

/** What a person decided. */
export interface RequestAnswer {
  readonly allow: boolean;
  readonly optionId?: string;
  readonly comment?: string;
  /** Any value that fits the schema of the request. */
  readonly data?: unknown;
}

interface RequestProps {
  readonly request: PermissionRequest;
  readonly onAnswer: (answer: RequestAnswer) => void;
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** False for people who may only read: they see what is asked. */
  readonly canAnswer: boolean;
}

/** What a turn asks: may a tool run, for data, for a sign-in, or for more of a limit. Answered in place. */
export const RequestView = (props: RequestProps): ReactElement => {
  const { request, error, canAnswer } = props;
  const input = request.inputJson === '' ? undefined : parsedOrText(request.inputJson);
  return (
    <section className={styles.card} aria-label={texts.waiting}>
      <p>
        <strong>{request.prompt || request.action}</strong>
      </p>
      {input !== undefined && request.kind === 'permission' && (
        <>
          <code>{request.action}</code>
          <JsonView value={input} />
        </>
      )}
      {canAnswer && <Answer {...props} />}
      {request.expiresAt > 0n && (
        <small>
          Counts as denied <Time at={request.expiresAt} />
        </small>
      )}
      {error !== null && <Problem error={error} />}
    </section>
  );
};

const Answer = (props: RequestProps): ReactElement => {
  const { kind } = props.request;
  if (kind === 'input') return <DataAnswer {...props} />;
  if (kind === 'sign_in') return <SignInAnswer {...props} />;
  return <OptionAnswer {...props} />;
};

const OptionAnswer = ({ request, onAnswer, isBusy }: RequestProps): ReactElement => {
  const [comment, setComment] = useState('');
  return (
    <>
      <TextField label={texts.comment} value={comment} onChange={setComment} />
      <div className={styles.buttons}>
        {request.options.map(({ id, name, decision }) => {
          const allow = decision === PermissionDecision.ALLOW;
          return (
            <Button
              key={id}
              kind={allow ? 'primary' : 'normal'}
              isBusy={isBusy}
              onClick={() => onAnswer({ allow, optionId: id, comment })}
            >
              {name}
            </Button>
          );
        })}
      </div>
    </>
  );
};

const DataAnswer = ({ request, onAnswer, isBusy }: RequestProps): ReactElement => {
  const schema = schemaOf(request.schemaJson) ?? {};
  const [value, setValue] = useState<unknown>(() => initialValue(schema));
  const [problems, setProblems] = useState<Problems>();
  const answer = (): void => {
    const found = problemsOf(schema, value);
    setProblems(found);
    if (found.size === 0) onAnswer({ allow: true, data: value });
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        answer();
      }}
    >
      <SchemaForm
        schema={schema}
        value={value}
        onChange={setValue}
        label={texts.answer}
        {...(problems === undefined ? {} : { problems })}
      />
      <div className={styles.buttons}>
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {texts.answer}
        </Button>
        <Button isBusy={isBusy} onClick={() => onAnswer({ allow: false })}>
          {texts.decline}
        </Button>
      </div>
    </form>
  );
};

const SignInAnswer = ({ request, onAnswer, isBusy }: RequestProps): ReactElement => {
  const address = linkAddress(request.url);
  return (
    <div className={styles.buttons}>
      {address !== undefined && (
        <a href={address} target="_blank" rel="noopener noreferrer">
          {texts.signIn}
        </a>
      )}
      <Button isBusy={isBusy} onClick={() => onAnswer({ allow: false })}>
        {texts.decline}
      </Button>
    </div>
  );
};
