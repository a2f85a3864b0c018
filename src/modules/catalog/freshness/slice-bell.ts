import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listener } from '../../../platform/database/listener.js';
import { Notifier } from '../../../platform/database/notifier.js';

const CHANNEL = 'catalog_changed';

/** Rings when the catalog has changed: in this process with the commit, in the others a moment later, or not at all. */
@Injectable()
export class SliceBell implements OnModuleInit {
  private hear: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly notifier: Notifier,
    private readonly listener: Listener,
  ) {}

  onModuleInit(): void {
    this.listener.hear(CHANNEL, () => this.hear());
  }

  onRing(hear: () => void): void {
    this.hear = hear;
  }

  /** After the running transaction's commit. */
  ring(what: string): void {
    this.database.afterCommit(() => this.hear());
    this.notifier.send(CHANNEL, what);
  }
}
