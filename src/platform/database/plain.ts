/** A value as JSON has it: instants are ISO 8601 texts. */
export type Plain<Value> = Value extends Date ? string : Value;

export function plain(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}
