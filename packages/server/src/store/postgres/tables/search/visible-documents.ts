/** Columns that say which document a hit is; `d` is search_documents. */
export const PLACE = 'd.source, d.kind, d.namespace, d.name, d.path, d.updated_at';

/** Each namespace once, at its first place; $1 lists the namespaces, nearest first. */
export const NAMESPACES = `(SELECT namespace, min(place) AS place FROM unnest($1::text[]) WITH ORDINALITY AS n (namespace, place)
  GROUP BY namespace) AS e`;

/** No document of the same kind and path in a namespace that comes before. */
export const VISIBLE = `NOT EXISTS (SELECT 1 FROM unnest($1::text[]) WITH ORDINALITY AS near (namespace, place)
  JOIN search_documents other ON other.namespace = near.namespace AND other.kind = d.kind AND other.path = d.path
  WHERE near.place < e.place)`;
