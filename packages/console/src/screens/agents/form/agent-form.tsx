import type { ReactElement, ReactNode } from 'react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Checkbox, SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { Section } from '../../../ui/page.tsx';
import styles from '../agents.module.css';
import { texts } from '../texts.ts';
import { capabilitiesOf, type Grant, grantsOf } from './capabilities.ts';
import { isReadable, valueIn, withValue } from './spec-text.ts';

interface AgentFormProps {
  /** The manifest of the agent as YAML: the same draft that the text shows. */
  readonly text: string;
  /** Absent where it may only be read. */
  readonly onChange: ((text: string) => void) | undefined;
}

interface FormPart {
  readonly valueAt: (...path: readonly (string | number)[]) => unknown;
  readonly set: (path: readonly (string | number)[], value: unknown) => void;
  readonly isReadOnly: boolean;
}

/** The fields of an agent that people change most, over the text of its draft. */
export const AgentForm = ({ text, onChange }: AgentFormProps): ReactElement => {
  if (!isReadable(text)) return <p role="alert">{texts.unreadable}</p>;
  const part: FormPart = {
    valueAt: (...path) => valueIn(text, ['spec', ...path]),
    set: (path, value) => onChange?.(withValue(text, ['spec', ...path], value)),
    isReadOnly: onChange === undefined,
  };
  return (
    <fieldset className={styles.form} disabled={part.isReadOnly}>
      <TextArea
        label={texts.prompt}
        hint={texts.promptHint}
        rows={8}
        value={asText(part.valueAt('systemPrompt'))}
        onChange={(value) => part.set(['systemPrompt'], value)}
      />
      <Profiles {...part} />
      <Features {...part} />
      <TextArea
        label={texts.servers}
        hint={texts.serversHint}
        rows={2}
        value={asList(part.valueAt('mcpServerRefs')).map(asText).join('\n')}
        onChange={(value) => part.set(['mcpServerRefs'], value === '' ? undefined : value.split('\n'))}
      />
      <Grants {...part} />
      <TextArea
        label={texts.postHistory}
        hint={texts.postHistoryHint}
        rows={3}
        value={asText(part.valueAt('postHistoryPrompt'))}
        onChange={(value) => part.set(['postHistoryPrompt'], value)}
      />
      <p className={styles.soft}>{texts.yamlOnly}</p>
    </fieldset>
  );
};

const EFFORTS = ['', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

const Profiles = ({ valueAt, set, isReadOnly }: FormPart): ReactElement => {
  const path = ['modelPolicy', 'profiles'] as const;
  const profiles = asList(valueAt(...path));
  return (
    <Rows
      title={texts.profiles}
      lead={texts.profilesLead}
      onAdd={
        isReadOnly
          ? undefined
          : () =>
              set([...path, profiles.length], {
                name: profiles.length === 0 ? 'default' : `fallback-${profiles.length}`,
                model: { name: '' },
              })
      }
    >
      {profiles.map((_profile, index) => {
        const place = [...path, index] as const;
        const name = asText(valueAt(...place, 'name'));
        const temperature = valueAt(...place, 'model', 'temperature');
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a profile is known by its place, as in the text
          <div key={index} className={styles.rowOfFields}>
            <TextField label={texts.profile} value={name} onChange={(value) => set([...place, 'name'], value)} />
            <TextField
              label={texts.provider}
              value={asText(valueAt(...place, 'model', 'provider'))}
              onChange={(value) => set([...place, 'model', 'provider'], value)}
            />
            <TextField
              label={texts.modelName}
              value={asText(valueAt(...place, 'model', 'name'))}
              onChange={(value) => set([...place, 'model', 'name'], value)}
            />
            <TextField
              label={texts.temperature}
              type="number"
              value={temperature === undefined ? '' : String(temperature)}
              onChange={(value) => set([...place, 'model', 'temperature'], value === '' ? undefined : Number(value))}
            />
            <SelectField
              label={texts.effort}
              value={EFFORTS.find((effort) => effort === valueAt(...place, 'model', 'thinking', 'effort')) ?? ''}
              options={EFFORTS.map((value) => ({ value, label: value }))}
              onChange={(value) => set([...place, 'model', 'thinking', 'effort'], value)}
            />
            <IconButton label={texts.remove(name)} icon="trash" onClick={() => set(path, without(profiles, index))} />
          </div>
        );
      })}
    </Rows>
  );
};

const FEATURE_TYPES = ['toolset', 'model', 'mcp', 'skill', 'sandbox', 'knob'] as const;

const Features = ({ valueAt, set, isReadOnly }: FormPart): ReactElement => {
  const features = asList(valueAt('features'));
  return (
    <Rows
      title={texts.features}
      onAdd={isReadOnly ? undefined : () => set(['features', features.length], { name: '', type: 'toolset' })}
    >
      {features.map((_feature, index) => {
        const place = ['features', index] as const;
        const name = asText(valueAt(...place, 'name'));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a feature is known by its place, as in the text
          <div key={index} className={styles.rowOfFields}>
            <TextField label={texts.name} value={name} onChange={(value) => set([...place, 'name'], value)} />
            <SelectField
              label={texts.type}
              value={FEATURE_TYPES.find((type) => type === valueAt(...place, 'type')) ?? 'toolset'}
              options={FEATURE_TYPES.map((value) => ({ value, label: value }))}
              onChange={(value) => set([...place, 'type'], value)}
            />
            <Checkbox
              label={texts.required}
              checked={valueAt(...place, 'required') === true}
              onChange={(isOn) => set([...place, 'required'], isOn ? true : undefined)}
            />
            <IconButton
              label={texts.remove(name)}
              icon="trash"
              onClick={() => set(['features'], without(features, index))}
            />
          </div>
        );
      })}
    </Rows>
  );
};

const APPROVALS = ['allow', 'ask', 'deny'] as const;

const Grants = ({ valueAt, set, isReadOnly }: FormPart): ReactElement => {
  const grants = grantsOf(valueAt('capabilities'));
  const write = (next: readonly Grant[]): void =>
    set(['capabilities'], next.length === 0 ? undefined : capabilitiesOf(next));
  const change = (index: number, part: Partial<Grant>): void =>
    write(grants.map((grant, at) => (at === index ? { ...grant, ...part } : grant)));
  return (
    <Rows
      title={texts.grants}
      lead={texts.grantsLead}
      onAdd={
        isReadOnly
          ? undefined
          : () => write([...grants, { capability: 'goals', action: '*', approval: 'ask', namespaces: [] }])
      }
    >
      {grants.map(({ capability, action, approval }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a grant is known by its place, as in the text
        <div key={index} className={styles.rowOfFields}>
          <TextField
            label={texts.capability}
            value={capability}
            onChange={(value) => change(index, { capability: value })}
          />
          <TextField label={texts.action} value={action} onChange={(value) => change(index, { action: value })} />
          <SelectField
            label={texts.approval}
            value={APPROVALS.find((known) => known === approval) ?? 'allow'}
            options={APPROVALS.map((value) => ({ value, label: texts.approvals[value] }))}
            onChange={(value) => change(index, { approval: value })}
          />
          <IconButton
            label={texts.remove(`${capability} ${action}`)}
            icon="trash"
            onClick={() => write(without(grants, index))}
          />
        </div>
      ))}
    </Rows>
  );
};

interface RowsProps {
  readonly title: string;
  readonly lead?: string;
  readonly onAdd: (() => void) | undefined;
  readonly children: ReactNode;
}

const Rows = ({ title, lead, onAdd, children }: RowsProps): ReactElement => (
  <Section
    title={title}
    actions={
      onAdd && (
        <Button icon="plus" onClick={onAdd}>
          {texts.add}
        </Button>
      )
    }
  >
    {lead !== undefined && <p className={styles.soft}>{lead}</p>}
    <div className={styles.rows}>{children}</div>
  </Section>
);

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const without = <T,>(list: readonly T[], index: number): readonly T[] => list.filter((_item, at) => at !== index);
