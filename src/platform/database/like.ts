/** The LIKE pattern for "contains this text", in which wildcards of the text are literal characters. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/**
 * The condition that a text contains each word of a query: without regard to case, accents, apostrophes, hyphens and the
 * order of the words, of which the first eight count. `folded` is an expression made with the SQL function `fold`, and
 * `place` that of the query, such as `$1`. No word: nothing is found.
 */
export function containsWordsSql(folded: string, place: string): string {
  const patterns = `folded_patterns(${place}::text)`;
  return `(${folded} like (${patterns})[1] and ${folded} like all (${patterns}))`;
}
