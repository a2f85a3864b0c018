import { Injectable } from '@nestjs/common';

/** What a process needs before it is ready; components with a slow start register here at boot. */
@Injectable()
export class Readiness {
  private readonly parts = new Map<string, () => boolean>();

  add(name: string, isReady: () => boolean): void {
    this.parts.set(name, isReady);
  }

  /** By name: whether it is ready. */
  state(): Record<string, { ok: boolean }> {
    return Object.fromEntries([...this.parts].map(([name, isReady]) => [name, { ok: isReady() }]));
  }
}
