import { type FormEvent, type ReactElement, useState } from 'react';
import { pageFacts } from '../page-facts.ts';
import { Button } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { Checkbox, TextField } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { Segments } from '../ui/segments.tsx';
import type { Credential } from './credential.ts';
import { AtProvider } from './provider/at-provider.tsx';
import styles from './sign-in.module.css';
import { texts } from './texts.ts';

type Way = 'token' | 'apiKey' | 'password';

interface SignInProps {
  /** The page stays visible behind it: the credential of someone who was signed in has ended. */
  readonly isOverPage?: boolean;
  /** Why the last credential did not do. */
  readonly problem: Error | undefined;
  readonly onSignIn: (credential: Credential, keep: boolean) => void;
}

/** Asks for whatever the server takes. */
export const SignIn = ({ isOverPage = false, problem, onSignIn }: SignInProps): ReactElement => {
  const ways: readonly Way[] = pageFacts.authModes.includes('password')
    ? ['password', 'token', 'apiKey']
    : ['token', 'apiKey'];
  const [way, setWay] = useState<Way>(ways[0] ?? 'token');
  const [user, setUser] = useState('svc');
  const [secret, setSecret] = useState('');
  const [keep, setKeep] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSignIn(credentialOf(way, user, way === 'password' ? secret : secret.trim()), keep);
  };
  const form = (
    <form className={styles.card} onSubmit={submit}>
      <h1>{pageFacts.title}</h1>
      <p>{isOverPage ? texts.again : texts.lead}</p>
      {pageFacts.provider && <AtProvider provider={pageFacts.provider} isOverPage={isOverPage} onSignIn={onSignIn} />}
      {ways.length > 1 && (
        <Segments
          label={texts.way}
          value={way}
          options={ways.map((value) => ({ value, label: texts.ways[value] }))}
          onChange={setWay}
        />
      )}
      {way === 'password' && (
        <TextField label={texts.userLabel} value={user} onChange={setUser} autoComplete="username" />
      )}
      <TextField
        key={way}
        label={{ token: texts.tokenLabel, apiKey: texts.apiKeyLabel, password: texts.passwordLabel }[way]}
        hint={{ token: texts.tokenHint, apiKey: texts.apiKeyHint, password: undefined }[way]}
        type="password"
        value={secret}
        onChange={setSecret}
        autoComplete="current-password"
        autoFocus
      />
      <Checkbox label={texts.keep} checked={keep} onChange={setKeep} />
      {problem && <Problem error={problem} />}
      <Button kind="primary" type="submit" disabled={secret.trim() === ''} disabledReason={texts.tokenLabel}>
        {texts.submit}
      </Button>
    </form>
  );
  if (!isOverPage) return <main className={styles.page}>{form}</main>;
  return (
    <dialog open className={classNames(styles.page, styles.over)} aria-label={texts.again}>
      {form}
    </dialog>
  );
};

const credentialOf = (way: Way, user: string, secret: string): Credential => {
  if (way === 'apiKey') return { kind: 'apiKey', apiKey: secret };
  return way === 'token' ? { kind: 'token', token: secret } : { kind: 'password', user, password: secret };
};
