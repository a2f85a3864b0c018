/** The parameters of one statement. Text of a statement contains their numbers and never a value. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Returns the reference to the value in the text. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}
