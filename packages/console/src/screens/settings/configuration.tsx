import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { matching } from './configuration-filter.ts';
import styles from './settings.module.css';
import { useConfiguration } from './settings-data.ts';
import { texts } from './texts.ts';

/** Every key of the configuration in effect, with where its value came from. */
export const Configuration = (): ReactElement => {
  const { filter = '', only } = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useConfiguration();
  const shown = matching(found.data ?? [], filter, only === 'set');
  const change = (next: Readonly<Record<string, string | undefined>>): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  return (
    <Section
      title={texts.configuration}
      actions={<CopyMenu command="svc config show" path="/v1/admin/configuration" />}
    >
      <p className={styles.hint}>{texts.configurationHint}</p>
      <div className={styles.row}>
        <TextField
          label={texts.filter}
          isLabelHidden
          placeholder={texts.filter}
          type="search"
          value={filter}
          onChange={(next) => change({ filter: next || undefined })}
        />
        <Checkbox
          label={texts.onlySet}
          checked={only === 'set'}
          onChange={(checked) => change({ only: checked ? 'set' : undefined })}
        />
      </div>
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isSuccess && shown.length === 0 && <p>{texts.noMatch}</p>}
      {shown.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <div className={styles.scroll} tabIndex={0}>
          <table className={styles.table}>
            <thead>
              <tr>
                {[texts.key, texts.value, texts.source].map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map(({ key, valueJson, source }) => (
                <tr key={key} data-set={source !== 'default'}>
                  <th scope="row">{key}</th>
                  <td>
                    <code>{valueJson}</code>
                  </td>
                  <td>{source}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
};
