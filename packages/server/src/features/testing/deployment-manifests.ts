/** What of a template differs from a bare Agent of `acme`. */
interface TemplateParts {
  readonly kind?: string;
  readonly namespace?: string;
  readonly metadata?: string;
  readonly own?: string;
}

/** Manifest of a Template; `spec` is the inside of a flow map. */
export const template = (name: string, spec: string, parts: TemplateParts = {}): string => {
  const { kind = 'Agent', namespace = 'acme', metadata, own = '' } = parts;
  const inner = metadata === undefined ? '' : `metadata: {${metadata}}, `;
  return `kind: Template\nmetadata: {name: ${name}, namespace: ${namespace}${own}}\nspec: {kind: ${kind}, ${inner}spec: {${spec}}}\n---\n`;
};
/** Manifest of a Deployment in `acme`, by default of the children with tier gold. */
export const deployment = (templates: string, selector = '{matchLabels: {tier: gold}}', name = 'rollout'): string =>
  `kind: Deployment\nmetadata: {name: ${name}, namespace: acme}\nspec: {selector: ${selector}, templates: [${templates}]}\n---\n`;
/** Manifest of a child of `acme`, by default of tier gold. */
export const namespace = (name: string, labels = 'tier: gold'): string =>
  `kind: Namespace\nmetadata: {name: "acme:${name}", labels: {${labels}}}\n---\n`;
