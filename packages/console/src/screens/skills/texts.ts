/** Texts of the skills. */
export const texts = {
  title: 'Skills',
  create: 'New skill',
  none: 'No skill here yet',
  howToGet:
    'A skill is a set of instructions that an agent takes up when its description fits. Write one here, or: svc apply -f skill.yaml',
  more: 'More',
  choose: 'Choose a skill.',
  description: 'Description',
  descriptionHint: 'The model reads it to decide whether the skill helps.',
  saveDescription: 'Save the description',
  instructions: 'Instructions',
  saved: (name: string): string => `Saved: ${name}`,
};
