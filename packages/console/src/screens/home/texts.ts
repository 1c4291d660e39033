/** Texts of the first screen. */
export const texts = {
  title: 'Home',
  instance: 'This instance',
  version: 'Version',
  agents: 'Agents',
};
