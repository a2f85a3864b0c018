import type { EventGroup } from '../../platform/outbox/outbox.js';

export const documentEvents: EventGroup[] = [
  {
    channels: ['documents.attachments'],
    events: ['attachment.ready'],
    members: ['attachmentId', 'subjectType', 'subjectId', 'contentType', 'sizeBytes', 'visibility', 'version'],
  },
  {
    channels: ['documents.records'],
    events: ['document.rendered'],
    members: ['documentId', 'kind', 'subjectType', 'subjectId', 'language', 'version'],
  },
];
