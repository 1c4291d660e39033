import { type ReactElement, useState } from 'react';
import { CodeEditor } from '../../../ui/code-editor.tsx';
import type { JsonSchema } from '../../../ui/schema/schema.ts';
import type { Problems } from '../../../ui/schema/schema-problems.ts';
import { SchemaForm } from '../../../ui/schema-form.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { texts } from '../texts.ts';
import styles from '../workflows.module.css';

interface JsonInputProps {
  readonly label: string;
  /** Undefined for any value, which is written as JSON. */
  readonly schema: JsonSchema | undefined;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly problems: Problems | undefined;
  /** Told whether the text is JSON. */
  readonly onReadable: (isReadable: boolean) => void;
}

/** A value as a form where a schema tells how it is made, or as JSON. */
export const JsonInput = ({ label, schema, value, onChange, problems, onReadable }: JsonInputProps): ReactElement => {
  const [view, setView] = useState<'form' | 'json'>(schema === undefined ? 'json' : 'form');
  const [typed, setTyped] = useState('');
  const show = (next: 'form' | 'json'): void => {
    setTyped(JSON.stringify(value ?? null, null, 2));
    onReadable(true);
    setView(next);
  };
  const text = typed === '' ? JSON.stringify(value ?? null, null, 2) : typed;
  return (
    <>
      {schema !== undefined && (
        <Segments
          label={texts.inputAs}
          value={view}
          options={[
            { value: 'form', label: texts.form },
            { value: 'json', label: texts.json },
          ]}
          onChange={show}
        />
      )}
      {view === 'form' && schema !== undefined ? (
        <SchemaForm schema={schema} value={value} onChange={onChange} label={label} {...(problems && { problems })} />
      ) : (
        <div className={styles.json}>
          <CodeEditor
            label={label}
            language="json"
            value={text}
            isFilled
            onChange={(next) => {
              setTyped(next);
              const read = parsed(next);
              onReadable(read !== undefined);
              if (read !== undefined) onChange(read.value);
            }}
          />
        </div>
      )}
      {view === 'json' && problems !== undefined && problems.size > 0 && (
        <ul className={styles.failure} role="alert">
          {[...problems].map(([path, text]) => (
            <li key={path}>
              <code>{path === '' ? label : path}</code> {text}
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};
