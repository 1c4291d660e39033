import { type FormEvent, type ReactElement, useState } from 'react';
import { useScope } from '../../app/scope.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import styles from './access.module.css';
import { useCreateKey } from './access-data.ts';
import { type GrantDraft, grantOf, newGrant } from './grants.ts';
import { texts } from './texts.ts';

const LIFETIMES = [
  { value: '', label: texts.forever },
  { value: '30', label: texts.days30 },
  { value: '90', label: texts.days90 },
  { value: '365', label: texts.days365 },
];

const DAY_MS = 86_400_000;

/** Creates an API key, and shows its secret once. */
export const KeyPanel = (): ReactElement => {
  const scope = useScope();
  const [name, setName] = useState('');
  const [days, setDays] = useState('90');
  const [grants, setGrants] = useState<readonly GrantDraft[]>([
    { ...newGrant, namespace: scope === '-' ? 'default' : scope },
  ]);
  const creating = useCreateKey();
  const secret = creating.data?.secret;
  const create = (event: FormEvent): void => {
    event.preventDefault();
    const expiresAt = days === '' ? undefined : BigInt(Date.now() + Number(days) * DAY_MS) * 1_000n;
    if (name.trim() !== '') creating.mutate({ name: name.trim(), grants: grants.map(grantOf), expiresAt });
  };
  if (secret !== undefined)
    return (
      <div className={styles.form}>
        <h2>{`${texts.keyPanel} ${creating.data?.key?.name ?? ''}`}</h2>
        <p role="status">{texts.secretOnce}</p>
        <code className={styles.secret}>{secret}</code>
        <div>
          <Button kind="primary" icon="copy" onClick={() => void copyText(secret, texts.keyPanel)}>
            {texts.copySecret}
          </Button>
        </div>
      </div>
    );
  return (
    <form className={styles.form} onSubmit={create}>
      <h2>{texts.newKey}</h2>
      <TextField label={texts.name} value={name} onChange={setName} autoFocus isRequired />
      <SelectField label={texts.lifetime} value={days} options={LIFETIMES} onChange={setDays} />
      {grants.map((grant, index) => (
        <GrantFields
          // biome-ignore lint/suspicious/noArrayIndexKey: grants have no names; their place is what they are
          key={index}
          number={index + 1}
          grant={grant}
          onChange={(next) => setGrants(grants.map((other, place) => (place === index ? next : other)))}
          onRemove={grants.length > 1 ? () => setGrants(grants.filter((_, place) => place !== index)) : undefined}
        />
      ))}
      <div>
        <Button icon="plus" onClick={() => setGrants([...grants, newGrant])}>
          {texts.addGrant}
        </Button>
      </div>
      {creating.error && <Problem error={creating.error} />}
      <div>
        <Button
          kind="primary"
          type="submit"
          isBusy={creating.isPending}
          disabled={name.trim() === ''}
          disabledReason={texts.nameFirst}
        >
          {texts.create}
        </Button>
      </div>
    </form>
  );
};

interface GrantFieldsProps {
  readonly number: number;
  readonly grant: GrantDraft;
  readonly onChange: (grant: GrantDraft) => void;
  readonly onRemove: (() => void) | undefined;
}

const ROLES = (['viewer', 'operator', 'admin'] as const).map((value) => ({ value, label: value }));

const GrantFields = ({ number, grant, onChange, onRemove }: GrantFieldsProps): ReactElement => (
  <fieldset className={styles.grant}>
    <legend>{`${texts.grant} ${number}`}</legend>
    <SelectField
      label={texts.role}
      value={grant.role}
      options={ROLES}
      onChange={(role) => onChange({ ...grant, role })}
    />
    <TextField
      label={texts.namespace}
      placeholder={texts.everywhere}
      value={grant.namespace}
      onChange={(namespace) => onChange({ ...grant, namespace })}
    />
    {grant.namespace !== '' && (
      <>
        <TextField label={texts.agent} value={grant.agent} onChange={(agent) => onChange({ ...grant, agent })} />
        {grant.agent === '' ? (
          <TextField
            label={texts.channel}
            value={grant.channel}
            onChange={(channel) => onChange({ ...grant, channel })}
          />
        ) : (
          <TextField
            label={texts.session}
            value={grant.session}
            onChange={(session) => onChange({ ...grant, session })}
          />
        )}
      </>
    )}
    <Checkbox
      label={texts.secrets}
      checked={grant.readSecrets}
      onChange={(readSecrets) => onChange({ ...grant, readSecrets })}
    />
    {onRemove && (
      <div>
        <Button icon="trash" onClick={onRemove}>{`${texts.removeGrant} ${number}`}</Button>
      </div>
    )}
  </fieldset>
);
