import type { ApiKey } from '@svc/api/data';
import { type ReactElement, useState } from 'react';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './access.module.css';
import { grantText, type Holding, scopeText, stateOfKey } from './grants.ts';
import { texts } from './texts.ts';

const TONES: Readonly<Record<'active' | 'expired' | 'revoked', Tone>> = {
  active: 'good',
  expired: 'warn',
  revoked: 'calm',
};

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  /** Without it keys are only shown. */
  readonly onRevoke: ((key: ApiKey) => void) | undefined;
}

/** API keys with what each may do. */
export const KeyTable = ({ keys, onRevoke }: KeyTableProps): ReactElement => {
  const [nowMs] = useState(() => Date.now());
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className={styles.scroll} tabIndex={0}>
      <table className={styles.table} aria-label={texts.keys}>
        <thead>
          <tr>
            {[
              texts.name,
              texts.prefix,
              texts.state,
              texts.grants,
              texts.created,
              texts.lastUsed,
              texts.expires,
              texts.revoke,
            ].map((title) => (
              <th key={title} scope="col">
                {title === texts.revoke ? <span className="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => {
            const state = stateOfKey(key, nowMs);
            return (
              <tr key={key.id}>
                <th scope="row">{key.name}</th>
                <td>
                  <code>{key.prefix}</code>
                </td>
                <td>
                  <Badge tone={TONES[state]}>{texts[state]}</Badge>
                </td>
                <td>
                  {key.grants.map((grant) => (
                    <div key={grantText(grant)}>{grantText(grant)}</div>
                  ))}
                </td>
                <td>
                  <Time at={key.createdAt} />
                </td>
                <td>{key.lastUsedAt === 0n ? texts.never : <Time at={key.lastUsedAt} />}</td>
                <td>{key.expiresAt === undefined ? texts.never : <Time at={key.expiresAt} />}</td>
                <td>
                  {onRevoke && state !== 'revoked' && (
                    <Button kind="danger" onClick={() => onRevoke(key)}>
                      {texts.revoke}
                    </Button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
};

/** Rights with their holders. */
export const HoldingTable = ({ holdings }: { readonly holdings: readonly Holding[] }): ReactElement => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <div className={styles.scroll} tabIndex={0}>
    <table className={styles.table} aria-label={texts.who}>
      <thead>
        <tr>
          {[texts.holder, texts.role, texts.scope, texts.secrets].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {holdings.map(({ holder, grant }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a holder can have the same grant twice
          <tr key={`${holder} ${index}`}>
            <th scope="row">{holder}</th>
            <td>{grant.role}</td>
            <td>{scopeText(grant)}</td>
            <td>{grant.readSecrets ? texts.yes : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
