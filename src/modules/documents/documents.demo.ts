import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import type { CreateDocumentTemplate } from './templates/document-template.dto.js';
import { DocumentTemplatesService } from './templates/document-templates.service.js';

const TEMPLATE: CreateDocumentTemplate = {
  ...{ kind: 'itinerary', language: 'en', name: 'Itinerary with a greeting' },
  blocks: [
    { type: 'image', image: 'logo' },
    { type: 'heading', text: '{{document.title}} {{booking.number}}' },
    { type: 'text', text: 'Dear {{customer.name}},\nwe look forward to your trip.' },
    {
      type: 'table',
      list: 'services',
      columns: [
        { heading: 'Start', text: '{{service.start}}', width: 20 },
        { heading: 'Service', text: '{{service.title}}', width: 24 },
      ],
    },
  ],
};

/** The templates that the examples of the API document name. */
@Injectable()
export class DocumentsDemo {
  constructor(private readonly templates: DocumentTemplatesService) {}

  /** The examples read 1, change 2, publish 3 and retire 4. */
  @DemoData(435, 'document templates')
  async load(): Promise<void> {
    for (const number of [1, 2, 3, 4]) await this.templates.create(TEMPLATE, demoId('dtpl', number));
  }
}
