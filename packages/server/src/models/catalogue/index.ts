/**
 * catalogue: what models can take. Shipped rows with the configuration merged over them; no requests, no keys.
 * Used by the registry; drivers see its entries.
 */
export { Catalogue } from './catalogue.ts';
export type { CatalogueEntry } from './shipped-models.ts';
