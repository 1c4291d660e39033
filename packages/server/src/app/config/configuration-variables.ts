/** Variables that hold the keys of model providers: one that is set says that its provider is usable. */
export const providerVariables = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
} as const;

const providerKeys: ReadonlySet<string> = new Set(Object.values(providerVariables));

/** True for variables that configure the server itself: no connector may have them sent anywhere (CO-2.1). */
export const isConfigurationVariable = (name: string): boolean =>
  providerKeys.has(name) || (name.startsWith('SVC_') && !name.startsWith('SVC_CONNECTOR_'));
