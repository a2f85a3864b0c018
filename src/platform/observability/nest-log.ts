import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Nest's own messages in our log: its boot chatter as debug, its warnings and errors as they are. */
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
