import type { Resource } from '@svc/api/resources';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { Facts } from '../../ui/facts.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/notices.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import {
  addressOfResource,
  addressText,
  badConditions,
  commandOf,
  DeleteResource,
  ResourceLink,
} from '../resources/index.ts';
import { base64OfText, KEY_FORM, readableValue } from './secret-value.ts';
import styles from './secrets.module.css';
import { secretSpec, useChangeKey, useMayReveal, useReveal, useSecretUses } from './secrets-data.ts';
import { texts } from './texts.ts';

/** One secret: its keys, a new value, and who names it. */
export const SecretDetails = ({
  secret,
  onGone,
}: {
  readonly secret: Resource;
  readonly onGone: () => void;
}): ReactElement => {
  const address = addressOfResource(secret);
  const mayWrite = useCan()('admin', { ns: address.ns });
  return (
    <>
      <div className={styles.bar}>
        <h2>{address.name}</h2>
        <div className={styles.actions}>
          <DeleteResource address={address} resource={secret} onDeleted={onGone} />
          <CopyMenu command={commandOf(address).replace('svc get secret', 'svc secret get').replace(' -o yaml', '')} />
        </div>
      </div>
      {badConditions(secret).map(({ type, reason, message }) => (
        <p key={type}>
          <strong>{type}</strong> {[reason, message].filter(Boolean).join(': ')}
        </p>
      ))}
      <Facts rows={[[texts.type, secretSpec(secret)?.type]]} />
      <Keys secret={secret} mayWrite={mayWrite} />
      {mayWrite && <NewValue secret={secret} />}
      <Uses secret={secret} />
    </>
  );
};

const Keys = ({ secret, mayWrite }: { readonly secret: Resource; readonly mayWrite: boolean }): ReactElement => {
  const { name, ns } = addressOfResource(secret);
  const keys = Object.keys(secretSpec(secret)?.data ?? {}).sort();
  const [asks, setAsks] = useState<'reveal' | { readonly key: string }>();
  const mayReveal = useMayReveal(ns);
  const reveal = useReveal(secret);
  const remove = useChangeKey(secret, ({ key }) => notify(texts.removed(name, key)));
  const values = reveal.data;
  return (
    <Section
      title={texts.keys}
      actions={
        keys.length > 0 && (
          <Button
            icon="eye"
            isBusy={reveal.isPending}
            disabled={!mayReveal}
            disabledReason={texts.mayNotReveal}
            onClick={() => (values === undefined ? setAsks('reveal') : reveal.reset())}
          >
            {values === undefined ? texts.reveal : texts.hide}
          </Button>
        )
      }
    >
      {reveal.error && <Problem error={reveal.error} />}
      {remove.error && <Problem error={remove.error} />}
      {keys.length === 0 && <p className={styles.soft}>{texts.noKeys}</p>}
      <ul className={styles.keys}>
        {keys.map((key) => (
          <li key={key}>
            <code>{key}</code>
            <span className={values === undefined ? styles.soft : styles.value}>
              {values === undefined ? texts.hidden : shownValue(values[key])}
            </span>
            <span className={styles.actions}>
              <IconButton
                label={`${texts.copyReference} ${key}`}
                icon="copy"
                onClick={() => void copyText(`secret://${name}/${key}`, `secret://${name}/${key}`)}
              />
              {mayWrite && <IconButton label={texts.removeKey(key)} icon="trash" onClick={() => setAsks({ key })} />}
            </span>
          </li>
        ))}
      </ul>
      {asks === 'reveal' && (
        <Confirm
          title={texts.revealTitle(name)}
          action={texts.reveal}
          onConfirm={() => reveal.mutate()}
          onClose={() => setAsks(undefined)}
        >
          {texts.revealLead}
        </Confirm>
      )}
      {typeof asks === 'object' && (
        <Confirm
          title={texts.removeTitle(asks.key)}
          action={texts.remove}
          onConfirm={() => remove.mutate({ key: asks.key, value: undefined })}
          onClose={() => setAsks(undefined)}
        >
          {texts.removeLead}
        </Confirm>
      )}
    </Section>
  );
};

/** An empty value of a revealed secret is one that the server could not decrypt. */
const shownValue = (value: string | undefined): string => {
  if (value === undefined || value === '') return texts.lost;
  const readable = readableValue(value);
  return 'text' in readable ? readable.text : texts.notText(readable.bytes);
};

const NewValue = ({ secret }: { readonly secret: Resource }): ReactElement => {
  const { name } = addressOfResource(secret);
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const change = useChangeKey(secret, (done) => {
    setKey('');
    setValue('');
    notify(texts.saved(name, done.key));
  });
  const isReady = KEY_FORM.test(key) && value !== '';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) change.mutate({ key, value: base64OfText(value) });
  };
  return (
    <Section title={texts.set}>
      <form onSubmit={submit} className={styles.form}>
        <TextField label={texts.key} hint={texts.keyHint} value={key} onChange={setKey} />
        <TextField
          label={texts.value}
          hint={texts.valueHint}
          type="password"
          autoComplete="new-password"
          value={value}
          onChange={setValue}
        />
        <Button
          kind="primary"
          type="submit"
          isBusy={change.isPending}
          disabled={!isReady}
          disabledReason={texts.keyHint}
        >
          {texts.save}
        </Button>
      </form>
      {change.error && <Problem error={change.error} />}
    </Section>
  );
};

const Uses = ({ secret }: { readonly secret: Resource }): ReactElement => {
  const { ns, name } = addressOfResource(secret);
  const found = useSecretUses(ns, name);
  return (
    <Section title={texts.usedBy}>
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.data?.length === 0 && <p className={styles.soft}>{texts.unused}</p>}
      <ul>
        {found.data?.map((each) => (
          <li key={addressText(addressOfResource(each))}>
            <ResourceLink address={addressOfResource(each)} />
          </li>
        ))}
      </ul>
    </Section>
  );
};
