import { type ReactElement, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { SelectField, TextArea, TextField } from './field.tsx';
import { controlOf, initialValue, isValues, type JsonSchema, resolved, withValue } from './schema/schema.ts';
import type { Problems } from './schema/schema-problems.ts';
import styles from './schema-form.module.css';

interface SchemaFormProps {
  readonly schema: JsonSchema;
  /** Begin with `initialValue`. Values that are not given are undefined, and left out of their object. */
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** What to show as wrong, from `problemsOf`; none before the person tried to send, so that an untouched form is calm. */
  readonly problems?: Problems;
  /** What the whole form asks for, for schemas without a title. */
  readonly label: string;
}

/**
 * A form for any JSON Schema: value in, value out. Objects become groups, lists can grow, choices with few values are selects. What
 * a form cannot show, such as `oneOf`, is a field for JSON.
 */
export const SchemaForm = ({ schema, value, onChange, problems, label }: SchemaFormProps): ReactElement => (
  <Control
    schema={resolved(schema, schema)}
    root={schema}
    value={value}
    onChange={onChange}
    problems={problems ?? NONE}
    path=""
    label={schema.title ?? label}
    isRequired
  />
);

const NONE: Problems = new Map();

interface ControlProps {
  /** Without references. */
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly problems: Problems;
  readonly path: string;
  readonly label: string;
  readonly isRequired: boolean;
}

const Control = (props: ControlProps): ReactElement => {
  const View = VIEWS[controlOf(props.schema)];
  return <View {...props} />;
};

/** What the fields of ui/field.tsx take to name and explain a value. */
const fieldProps = ({ schema, problems, path, label, isRequired }: ControlProps) => ({
  label: isRequired ? label : `${label} (optional)`,
  hint: schema.description,
  problem: problems.get(path),
});

const ObjectControl = (props: ControlProps): ReactElement => {
  const { schema, root, value, onChange, problems, path, label } = props;
  const values = isValues(value) ? value : {};
  return (
    <fieldset className={path === '' ? styles.root : styles.group}>
      <legend className={path === '' ? 'visually-hidden' : undefined}>{label}</legend>
      {schema.description && <p className={styles.hint}>{schema.description}</p>}
      {problems.has(path) && <p className={styles.problem}>{problems.get(path)}</p>}
      {Object.entries(schema.properties ?? {}).map(([name, each]) => {
        const inner = resolved(each, root);
        return (
          <Control
            key={name}
            schema={inner}
            root={root}
            value={values[name]}
            onChange={(next) => onChange(withValue(value, name, next))}
            problems={problems}
            path={`${path}/${name}`}
            label={inner.title ?? name}
            isRequired={schema.required?.includes(name) ?? false}
          />
        );
      })}
    </fieldset>
  );
};

const ArrayControl = (props: ControlProps): ReactElement => {
  const { schema, root, value, onChange, problems, path, label, isRequired } = props;
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const inner = resolved(schema.items ?? {}, root);
  const replace = (index: number, next: unknown): void =>
    onChange(items.map((each, place) => (place === index ? next : each)));
  const remove = (index: number): void => {
    const rest = items.filter((_each, place) => place !== index);
    onChange(rest.length === 0 && !isRequired ? undefined : rest);
  };
  return (
    <fieldset className={styles.group}>
      <legend>{fieldProps(props).label}</legend>
      {schema.description && <p className={styles.hint}>{schema.description}</p>}
      {problems.has(path) && <p className={styles.problem}>{problems.get(path)}</p>}
      {items.map((each, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no names; their place is what they are
        <div key={index} className={styles.item}>
          <Control
            schema={inner}
            root={root}
            value={each}
            onChange={(next) => replace(index, next)}
            problems={problems}
            path={`${path}/${index}`}
            label={`${inner.title ?? label} ${index + 1}`}
            isRequired
          />
          <IconButton label={`Remove ${label} ${index + 1}`} icon="close" onClick={() => remove(index)} />
        </div>
      ))}
      <div>
        <Button icon="plus" onClick={() => onChange([...items, initialValue(inner, root)])}>{`Add ${label}`}</Button>
      </div>
    </fieldset>
  );
};

const UNSET = '';

const ChoiceControl = (props: ControlProps): ReactElement => {
  const choices = props.schema.enum ?? [];
  const chosen = choices.findIndex((each) => JSON.stringify(each) === JSON.stringify(props.value));
  const options = choices.map((each, index) => ({
    value: String(index),
    label: typeof each === 'string' ? each : JSON.stringify(each),
  }));
  return (
    <SelectField
      {...fieldProps(props)}
      value={chosen === -1 ? UNSET : String(chosen)}
      options={[{ value: UNSET, label: '—' }, ...options]}
      onChange={(next) => props.onChange(next === UNSET ? undefined : choices[Number(next)])}
    />
  );
};

const BooleanControl = (props: ControlProps): ReactElement => (
  <SelectField
    {...fieldProps(props)}
    value={typeof props.value === 'boolean' ? String(props.value) : UNSET}
    options={[
      { value: UNSET, label: '—' },
      { value: 'true', label: 'Yes' },
      { value: 'false', label: 'No' },
    ]}
    onChange={(next) => props.onChange(next === UNSET ? undefined : next === 'true')}
  />
);

const NumberControl = (props: ControlProps): ReactElement => {
  const { value, onChange } = props;
  const [typed, setTyped] = useState('');
  // What was typed stays as it is, such as `1.`, while it means the same number.
  const text = numberOf(typed) === value ? typed : String(value ?? '');
  return (
    <TextField
      {...fieldProps(props)}
      value={text}
      onChange={(next) => {
        setTyped(next);
        onChange(numberOf(next));
      }}
    />
  );
};

/** Text that is not a number stays as it is, so that the check can say so. */
const numberOf = (text: string): number | string | undefined => {
  if (text.trim() === '') return undefined;
  const number = Number(text.trim());
  return Number.isFinite(number) ? number : text;
};

const INPUT_TYPES = { email: 'email', uri: 'url', date: 'date' } as const;
const LONG = 200;

const TextControl = (props: ControlProps): ReactElement => {
  const { schema, value, onChange } = props;
  const { format = '', maxLength = 0 } = schema;
  const text = typeof value === 'string' ? value : '';
  const change = (next: string): void => onChange(next === '' ? undefined : next);
  if (format === 'date-time') {
    return (
      <TextField
        {...fieldProps(props)}
        type="datetime-local"
        value={localTime(text)}
        onChange={(next) => change(next === '' ? '' : new Date(next).toISOString())}
      />
    );
  }
  if (maxLength > LONG || format === 'multiline') {
    return <TextArea {...fieldProps(props)} value={text} onChange={change} />;
  }
  const type = format in INPUT_TYPES ? INPUT_TYPES[format as keyof typeof INPUT_TYPES] : 'text';
  return <TextField {...fieldProps(props)} type={type} value={text} onChange={change} />;
};

/** A moment as a field for local times takes it, such as `2030-01-31T09:30`. */
const localTime = (text: string): string => {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const JsonControl = (props: ControlProps): ReactElement => {
  const { value, onChange } = props;
  const [typed, setTyped] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const [problem, setProblem] = useState<string>();
  const change = (next: string): void => {
    setTyped(next);
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next));
      setProblem(undefined);
    } catch (error) {
      onChange(undefined);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const given = fieldProps(props);
  return (
    <TextArea
      {...given}
      label={`${given.label}, as JSON`}
      problem={problem ?? given.problem}
      value={typed}
      onChange={change}
    />
  );
};

const VIEWS = {
  object: ObjectControl,
  array: ArrayControl,
  choice: ChoiceControl,
  boolean: BooleanControl,
  number: NumberControl,
  text: TextControl,
  json: JsonControl,
} as const;
