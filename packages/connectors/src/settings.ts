/** One thing that a user says about a platform. */
export interface Setting {
  readonly name: string;
  readonly description: string;
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** An http or https address without a name or password. */
  readonly isAddress?: boolean;
  /** Environment variable that gives it when nothing else does. */
  readonly environment: string;
}

/** A setting that is missing, unknown or has no use as it is; names the setting. */
export class SettingError extends Error {
  readonly setting: string;

  constructor(setting: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SettingError';
    this.setting = setting;
  }
}

function isPlainAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === '';
}

/** What a user has set for one platform; blank texts count as not set. */
export class Settings {
  readonly #values: ReadonlyMap<string, string>;

  /** Throws SettingError for names that the platform does not have, required ones that are missing and addresses that are none. */
  constructor(known: readonly Setting[], values: Readonly<Record<string, string | undefined>>) {
    const entries = Object.entries(values).flatMap(([name, value]): [string, string][] =>
      value === undefined || value.trim() === '' ? [] : [[name, value.trim()]],
    );
    this.#values = new Map(entries);
    for (const [name] of entries) {
      if (!known.some((setting) => setting.name === name))
        throw new SettingError(
          name,
          `${name} is not a setting; there are ${known.map((each) => each.name).join(', ')}`,
        );
    }
    for (const { name, isRequired, environment, description } of known) {
      if (isRequired && !this.#values.has(name))
        throw new SettingError(name, `${name} is missing (${description}); it may also be in ${environment}`);
    }
    for (const { name, isAddress } of known) {
      const value = this.#values.get(name);
      if (isAddress === true && value !== undefined && !isPlainAddress(value))
        throw new SettingError(name, `${name} is not an http or https address without a name and password`);
    }
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Throws SettingError when it is not set. */
  require(name: string): string {
    const value = this.get(name);
    if (value === undefined) throw new SettingError(name, `${name} is missing`);
    return value;
  }
}
