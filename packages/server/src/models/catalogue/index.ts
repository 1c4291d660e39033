/**
 * catalogue: what models can take. Shipped rows with the configuration merged over them; no requests, no keys.
 * Used by the registry; drivers see its entries.
 */
export { Catalogue, type CatalogueEntry } from './catalogue.ts';
