/** Converts a value to JSON: instants become ISO 8601 texts. */
export type Plain<Value> = Value extends Date ? string : Value;

export function plain(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}
