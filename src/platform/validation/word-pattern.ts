/**
 * Matches exactly these words, or a text of one of the given patterns. The only place that builds a regular expression at run time:
 * words are escaped, so that the result is an alternation of literals, which takes linear time.
 */
export function patternOf(words: readonly string[], ...patterns: RegExp[]): RegExp {
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^(${[...escaped, ...patterns.map(({ source }) => source)].join('|')})$`);
}
