/**
 * app/testing/reference: docs/reference as Markdown, from the descriptors, their comments, the table of kinds, the table of roles and
 * the examples. Its test compares it with what is committed; `npm run generate` writes it. No part of the product.
 */
export { referenceDocs } from './reference-docs.ts';
