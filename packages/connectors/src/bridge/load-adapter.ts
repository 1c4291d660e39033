/** A package that a connector needs is not installed. */
export class AdapterMissing extends Error {
  /** What to install. */
  readonly packageName: string;

  constructor(packageName: string, options?: ErrorOptions) {
    super(`the package ${packageName} is not installed: npm install ${packageName}`, options);
    this.name = 'AdapterMissing';
    this.packageName = packageName;
  }
}

/** Loads an optional package. Throws AdapterMissing when it is not installed. */
export async function loadAdapter<Module>(packageName: string): Promise<Module> {
  try {
    return (await import(packageName)) as Module;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new AdapterMissing(packageName, { cause });
  }
}
