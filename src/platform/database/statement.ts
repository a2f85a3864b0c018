/**
 * One statement and its parameters. A statement with a name is prepared on each connection. A name belongs to one text, and
 * names come from code, never from a request: a connection keeps its prepared statements.
 */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
}

/** Limits how many statements a connection prepares; each takes some 10 to 50 kB of its server process. */
export class StatementNames {
  private readonly texts = new Map<string, string>();

  constructor(private readonly max: number) {}

  get count(): number {
    return this.texts.size;
  }

  /** Returns the statement, without its name if the limit is reached. Throws if the name belongs to another text. */
  limit(statement: Statement): Statement {
    const { name, text, values } = statement;
    if (name === undefined) return statement;
    const known = this.texts.get(name);
    if (known === text) return statement;
    if (known !== undefined) throw new Error(`Two statements have the name ${name}`);
    if (this.texts.size >= this.max) return { text, values };
    this.texts.set(name, text);
    return statement;
  }
}
