import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DecoratedMethods, methodDecorator } from '../discovery/decorated-methods.js';

/** The process is ready only while this method returns true; `/health/ready` shows the check under this name. */
export const ReadinessCheck = methodDecorator<string, () => boolean>();

/** The readiness checks of a process, as declared by `@ReadinessCheck`. */
@Injectable()
export class Readiness implements OnModuleInit {
  private checks: [name: string, isReady: () => boolean][] = [];

  constructor(private readonly methods: DecoratedMethods) {}

  onModuleInit(): void {
    const checks = this.methods.findByName(ReadinessCheck, (name) => name);
    this.checks = [...checks].map(([name, { call }]) => [name, call]);
  }

  /** Whether each part is ready, by name. */
  state(): Record<string, { ok: boolean }> {
    return Object.fromEntries(this.checks.map(([name, isReady]) => [name, { ok: isReady() }]));
  }
}
