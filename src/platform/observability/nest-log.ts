import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Writes Nest's own messages to the log: its start messages as debug, its warnings and errors unchanged. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Logger) {}

  log(message: unknown, context?: string): void {
    this.target.debug({ nest: context }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.target.error({ nest: rest }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.target.warn({ nest: context }, String(message));
  }
}
