import { Injectable, type OnModuleInit } from '@nestjs/common';
import { demoId } from '../../../platform/ids/id.js';
import { Provisioning } from '../../../platform/provisioning/provisioning.js';
import { RenditionWorker } from './rendition-worker.service.js';
import { Renditions } from './renditions.service.js';

/** The rendition that the API document's examples download: a PDF of the issued invoice 1, rendered at once. */
@Injectable()
export class RenditionDemo implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly renditions: Renditions,
    private readonly worker: RenditionWorker,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(475, 'invoice renditions', () => this.load());
  }

  private async load(): Promise<void> {
    const { id } = await this.renditions.request(
      demoId('inv', 1),
      { format: 'pdf', language: 'de' },
      demoId('rend', 1),
    );
    await this.worker.render(id);
  }
}
