import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Env } from '../platform/config/env.js';

const SHOWN_AFTER_MS = 1_000;

/** The result of a command. */
export interface Outcome {
  exitCode?: number;
  /** The document that `--json` prints. */
  result: object;
  /** The result as lines for a person. */
  lines: string[];
  /** Further lines on standard error. */
  faults?: string[];
}

/** Progress of long work, shown on standard error. */
export interface Progress {
  add(amount: number): void;
  end(): void;
}

/** Functions that the command line provides. */
export interface CommandTools {
  /** Shows how much of a total is done. `format` writes an amount with its unit. */
  progress(name: string, total: number, format: (amount: number) => string): Progress;
  /** Prints a line to standard error. */
  note: (line: string) => void;
}

/** Shows progress from the done and total amounts. Work that ends within a second shows none. */
export class ProgressReport {
  private readonly startedAt = performance.now();
  private shown: { progress: Progress; done: number } | null = null;

  constructor(
    private readonly tools: CommandTools,
    private readonly name: string,
    private readonly unit: string,
  ) {}

  update(done: number, total: number): void {
    if (!this.shown && performance.now() - this.startedAt < SHOWN_AFTER_MS) return;
    this.shown ??= { progress: this.tools.progress(this.name, total, (amount) => `${amount} ${this.unit}`), done: 0 };
    this.shown.progress.add(Math.max(0, done - this.shown.done));
    this.shown.done = Math.max(done, this.shown.done);
  }

  end(): void {
    this.shown?.progress.end();
  }
}

export interface CommandContext {
  app: NestExpressApplication;
  env: Env;
  options: CommandOptions;
  tools: CommandTools;
}

/** Exit codes of sysexits(3). */
export const EXIT_FAILED = 1;
export const EXIT_DATA = 65;

/** An expected failure: its message is printed without a stack. */
export class CommandError extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
    /** For `--json`. */
    readonly details?: object,
    readonly code?: string,
  ) {
    super(message);
    this.name = 'CommandError';
  }
}

/** Arguments and options of a command by name. The command line has checked them. */
export class CommandOptions {
  constructor(private readonly values: Readonly<Record<string, unknown>>) {}

  find(name: string): string | undefined {
    const value = this.values[name];
    if (value === undefined || typeof value === 'string') return value;
    throw new TypeError(`The option ${name} is not a text`);
  }

  get(name: string): string {
    const value = this.find(name);
    if (value === undefined) throw new TypeError(`The option ${name} is missing`);
    return value;
  }

  list(name: string): string[] {
    const value = this.values[name] ?? [];
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    throw new TypeError(`The option ${name} is not a list of texts`);
  }

  has(name: string): boolean {
    return this.values[name] === true;
  }
}
