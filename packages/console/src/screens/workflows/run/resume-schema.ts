interface WrittenStep {
  readonly id?: string;
  readonly resumeSchemaJson?: string;
}

/** The JSON Schema of the answer that a step of a run takes, as text; '' for any answer. */
export const resumeSchemaOf = (specJson: string, stepId: string): string => {
  const { steps = [] } = JSON.parse(specJson || '{}') as { readonly steps?: readonly WrittenStep[] };
  return steps.find(({ id }) => id === stepId)?.resumeSchemaJson ?? '';
};
