/**
 * Which variables a connector class may have sent as its credential (CO-2.1): those that a pattern of `connectors.envAllow`
 * names, `*` standing for any text, unless the configuration itself uses them.
 */
export const envAllowance = (
  patterns: readonly string[],
  isConfiguration: (name: string) => boolean,
): ((name: string) => boolean) => {
  const allowed = patterns.map((pattern) => {
    const texts = pattern.split('*').map((text) => text.replace(/[^A-Za-z0-9_]/g, '\\$&'));
    return new RegExp(`^${texts.join('.*')}$`);
  });
  return (name) =>
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !isConfiguration(name) && allowed.some((form) => form.test(name));
};
