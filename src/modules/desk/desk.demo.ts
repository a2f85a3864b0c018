import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { daysAfter } from '../../platform/time/calendar.js';
import {
  AttachmentsService,
  type CreateAttachment,
  RecordDocumentJobs,
  RecordDocumentsService,
} from '../documents/index.js';
import type { CreateNote } from './notes/note.dto.js';
import { BulkOperationRunner } from './bulk-operations/bulk-operation-runner.js';
import { BulkOperationsService } from './bulk-operations/bulk-operations.service.js';
import { CallOffRunner } from './call-offs/call-off-runner.js';
import type { CreateCallOff } from './call-offs/call-off.dto.js';
import { CallOffsService } from './call-offs/call-offs.service.js';
import { ImportRunner } from './imports/import-runner.js';
import { ImportsService } from './imports/imports.service.js';
import { NotesService } from './notes/notes.service.js';
import type { RoomBody } from './rooming/rooming.dto.js';
import { RoomingService } from './rooming/rooming.service.js';
import type { CreateTask } from './tasks/task.dto.js';
import { TasksService } from './tasks/tasks.service.js';
import type { CreateWaitingEntry } from './waiting-list/waiting-entry.dto.js';
import { WaitingEntriesService } from './waiting-list/waiting-entries.service.js';

const OWNER = demoId('user', 1);

/** The examples read 1, change 2 and delete 3. */
const NOTES: readonly CreateNote[] = [
  { subjectType: 'booking', subjectId: demoId('book', 1), text: 'Prefers seats near the door', pinned: true },
  { subjectType: 'customer', subjectId: demoId('cus', 1), text: 'Calls back in the evening only' },
  { subjectType: 'departure', subjectId: demoId('dep', 1), text: 'Pier 3 is closed', visibility: 'guide' },
];

/** The examples read and download 1, delete 2 and upload the content of 3. */
const [FILE, CONTENT] = [{ fileName: 'meeting-point.txt', visibility: 'customer' }, 'Meet at pier 3.\n'] as const;
const ATTACHMENTS: readonly CreateAttachment[] = [1, 2, 3].map((number) => {
  return { ...FILE, subjectType: 'booking', subjectId: demoId('book', number), sizeBytes: CONTENT.length };
});

/** The examples read 1 and change 2. */
const TASKS: readonly CreateTask[] = [
  { title: 'Call back about the seats', assigneeId: OWNER, subjectType: 'booking', subjectId: demoId('book', 1) },
  { title: 'Order new life jackets', dueOn: '2027-04-01' },
];

/** The examples read this call-off: booking 44 gets its money back, 45 keeps it as a credit, and 46 has not paid. */
const CALL_OFF: CreateCallOff = {
  reasonCode: 'operational',
  reason: 'The museums are closed for a state visit',
  default: { action: 'cancel', settle: 'refund' },
  overrides: [{ bookingId: demoId('book', 45), action: 'cancel', settle: 'credit' }],
  message: { note: 'Call us: we gladly find another day for you.' },
};

/** The rooms of departure 9. */
const ROOMS: readonly RoomBody[] = [
  {
    ...{ from: '2027-04-01', to: '2027-04-03', type: 'twin', label: '204', note: 'Ground floor if possible' },
    travelerIds: [demoId('trav', 1)],
  },
  { from: '2027-04-01', to: '2027-04-03', type: 'family', capacity: 5 },
];

/** The examples read 1, execute 2 and delete 3. The check finds that the second line has no name. */
const CUSTOMERS_CSV = [
  'reference;lastName;email;phone;country',
  'K-1001;Barbu;barbu@example.com;0240 555 031;RO',
  'K-1002;;nobody@example.com;;',
].join('\n');

/**
 * A called-off departure, checked imports, a bulk operation, and the notes, tasks, rooms and waiting customers that the examples of the API document
 * name.
 */
@Injectable()
export class DeskDemo {
  constructor(
    private readonly attachments: AttachmentsService,
    private readonly documents: RecordDocumentsService,
    private readonly documentJobs: RecordDocumentJobs,
    private readonly notes: NotesService,
    private readonly tasks: TasksService,
    private readonly callOffs: CallOffsService,
    private readonly runner: CallOffRunner,
    private readonly rooming: RoomingService,
    private readonly waiting: WaitingEntriesService,
    private readonly clock: Clock,
    private readonly imports: ImportsService,
    private readonly importRunner: ImportRunner,
    private readonly bulkOperations: BulkOperationsService,
    private readonly bulkRunner: BulkOperationRunner,
  ) {}

  @DemoData(710, 'a departure that was called off')
  async loadCallOff(): Promise<void> {
    const ids = { callOff: demoId('coff', 1), item: (position: number) => demoId('coit', position) };
    await this.callOffs.create(demoId('dep', 18), CALL_OFF, ids);
    await this.runner.run(ids.callOff);
  }

  @DemoData(715, 'files to import')
  async loadImports(): Promise<void> {
    for (const number of [1, 2, 3]) {
      const record = (position: number) => demoId('imrc', 2 * number + position - 2);
      await this.imports.create({ kind: 'customers', csv: CUSTOMERS_CSV }, { import: demoId('imp', number), record });
    }
    await this.importRunner.resumeAll();
  }

  /** The examples read this dry run: one of the customers exists. */
  @DemoData(718, 'a bulk operation')
  async loadBulkOperation(): Promise<void> {
    const ids = { operation: demoId('bulk', 1), item: (position: number) => demoId('bulki', position) };
    const subjectIds = [demoId('cus', 1), demoId('cus', 999)];
    const params = { add: ['season-2027'] };
    await this.bulkOperations.create({ type: 'customers.tag', ids: subjectIds, params, dryRun: true }, ids);
    await this.bulkRunner.resumeAll();
  }

  @DemoData(720, 'notes, tasks and rooms')
  async load(): Promise<void> {
    for (const [index, note] of NOTES.entries()) {
      await this.notes.create(note, { id: demoId('note', index + 1), authorId: OWNER });
    }
    for (const [index, task] of TASKS.entries()) await this.tasks.create(task, demoId('task', index + 1));
    await this.rooming.replace(demoId('dep', 9), ROOMS, null);
  }

  @DemoData(725, 'attachments')
  async loadAttachments(): Promise<void> {
    for (const [index, attachment] of ATTACHMENTS.entries()) {
      const id = demoId('att', index + 1);
      await this.attachments.create(attachment, { id, createdBy: OWNER });
      if (index === 0) await this.attachments.upload(id, Buffer.from(CONTENT), null);
    }
  }

  /** Adds a confirmation of booking 18 that can be downloaded and sent immediately. */
  @DemoData(727, 'documents')
  async loadDocuments(): Promise<void> {
    const documentId = demoId('doc', 1);
    const source = { kind: 'confirmation', subjectType: 'booking', subjectId: demoId('book', 18) } as const;
    await this.documents.create({ ...source, language: 'en' }, { id: documentId, createdBy: OWNER });
    await this.documentJobs.render({ documentId });
  }

  /** The examples read 1, change 2, withdraw 3 and accept the offer of 4. */
  @DemoData(730, 'the waiting list')
  async loadWaitingList(): Promise<void> {
    const today = this.clock.today();
    const nextWinter = { from: daysAfter(today, 400), to: daysAfter(today, 420) };
    const later = { productId: demoId('prod', 6), ...nextWinter, customerId: demoId('cus', 1) };
    const entries: CreateWaitingEntry[] = [
      { ...later, quantity: 2, note: 'Would also share a hut' },
      { ...later, quantity: 4, priority: 10 },
      { ...later, quantity: 1 },
      { departureId: demoId('dep', 16), quantity: 2, customerId: demoId('cus', 2) },
    ];
    for (const [index, entry] of entries.entries()) await this.waiting.create(entry, demoId('wait', index + 1));
  }
}
