import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Empty } from '../../ui/empty.tsx';
import { ResourceShelf } from '../resources/index.ts';
import { SecretDetails } from './secret-details.tsx';
import { texts } from './texts.ts';

/** The secrets of a namespace by name, and the keys of the one that is chosen. */
export const SecretsPage = (): ReactElement => {
  const { secret = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const open = (next: string | undefined): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, secret: next }) });
  return (
    <ResourceShelf
      kind="Secret"
      title={texts.title}
      create={texts.create}
      empty={
        <Empty icon="key" title={texts.none}>
          <p>{texts.howToGet}</p>
        </Empty>
      }
      choose={texts.choose}
      more={texts.more}
      command="svc secret list"
      chosen={secret}
      onChoose={open}
      show={(chosen) => <SecretDetails key={chosen.metadata?.uid} secret={chosen} onGone={() => open(undefined)} />}
    />
  );
};
