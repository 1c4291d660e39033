import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Time } from '../../ui/time.tsx';
import { useEveryResource } from '../resources/index.ts';
import styles from './knowledge.module.css';
import { useKnowledgeSearch } from './knowledge-data.ts';
import { texts } from './texts.ts';

/** The search that an agent of the namespace has, with scores: what it finds, and what it does not. */
export const KnowledgeSearch = ({
  ns,
  onOpen,
}: {
  readonly ns: string;
  readonly onOpen: (path: string) => void;
}): ReactElement => {
  const { q = '', agent: chosen } = useSearch({ strict: false });
  const navigate = useNavigate();
  const agents = useEveryResource('Agent', ns);
  const names = (agents.data ?? []).map(({ metadata }) => metadata?.name ?? '');
  const agent = chosen ?? names[0] ?? '';
  const found = useKnowledgeSearch(ns, agent, q);
  const show = (search: Readonly<Record<string, string | undefined>>): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...search }), replace: true });
  if (agents.isSuccess && names.length === 0) return <p className={styles.soft}>{texts.noAgents}</p>;
  return (
    <div className={styles.search}>
      <div className={styles.actions}>
        <TextField label={texts.search} type="search" value={q} onChange={(next) => show({ q: next })} />
        <SelectField
          label={texts.asAgent}
          value={agent}
          options={names.map((name) => ({ value: name, label: name }))}
          onChange={(next) => show({ agent: next })}
        />
      </div>
      {found.error && <Problem error={found.error} />}
      {q !== '' && found.data?.length === 0 && <p className={styles.soft}>{texts.noHits}</p>}
      {q !== '' && found.data && found.data.length > 0 && (
        <ol className={styles.hits}>
          {found.data.map(({ path, snippet, score, namespace, timestamp }) => (
            <li key={`${namespace} ${path}`}>
              <div className={styles.bar}>
                {namespace === ns ? (
                  <button type="button" className={styles.link} onClick={() => onOpen(path)}>
                    {path}
                  </button>
                ) : (
                  <span>
                    {namespace}: {path}
                  </span>
                )}
                <span className={styles.soft} title={texts.scoreHint}>
                  {texts.score} {score.toFixed(3)} · <Time at={timestamp} />
                </span>
              </div>
              <p className={styles.soft}>{snippet}</p>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
};
