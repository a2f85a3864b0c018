/** The LIKE pattern for "contains this text", in which wildcards of the text are literal characters. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/**
 * Builds the condition that a text contains each of the first eight words of a query, ignoring case, accents, apostrophes,
 * hyphens and word order. `folded` is an expression made with the SQL function `fold`, and `place` is the placeholder of the
 * query, such as `$1`. A query without words finds nothing.
 */
export function containsWordsSql(folded: string, place: string): string {
  const patterns = `folded_patterns(${place}::text)`;
  return `(${folded} like (${patterns})[1] and ${folded} like all (${patterns}))`;
}
