/** Version of the product; all packages of a release share it. */
export const VERSION = '0.1.0';
