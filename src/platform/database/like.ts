/** The LIKE pattern for "contains this text", in which the text's own wildcards mean nothing. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
