/** One statement and its parameters; with a name it is prepared on each connection. One name, one text. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}
