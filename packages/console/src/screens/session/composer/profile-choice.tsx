import type { ModelProfile } from '@svc/api/resources';
import type { ReactElement } from 'react';
import { SelectField } from '../../../ui/field.tsx';
import { texts } from '../texts.ts';

interface ProfileChoiceProps {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly profiles: readonly ModelProfile[];
  /** Name of one of them; '' leaves the choice to the agent. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** One of the models that an agent is set up with. */
export const ProfileChoice = ({ profiles, ...field }: ProfileChoiceProps): ReactElement => (
  <SelectField
    {...field}
    options={[
      { value: '', label: texts.profileDefault },
      ...profiles.map(({ name, model }) => ({ value: name, label: `${name} (${model?.name ?? ''})` })),
    ]}
  />
);
