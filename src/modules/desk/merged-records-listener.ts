import { Injectable } from '@nestjs/common';
import { Listens } from '../../platform/discovery/listeners.js';
import { CustomerListener, type MovedRecord } from '../customers/index.js';
import { NotesService } from './notes/notes.service.js';
import type { Subject } from './subjects/subjects.js';
import { TasksService } from './tasks/tasks.service.js';
import { WaitingEntriesService } from './waiting-list/waiting-entries.service.js';

const customer = (subjectId: string): Subject => ({ subjectType: 'customer', subjectId });

/** Notes and tasks about a customer, and what it waits for, follow it into the customer that replaces it. */
@Injectable()
@Listens(CustomerListener, 30)
export class MergedRecordsListener implements CustomerListener {
  constructor(
    private readonly notes: NotesService,
    private readonly tasks: TasksService,
    private readonly waiting: WaitingEntriesService,
  ) {}

  async archiving(customerId: string): Promise<void> {
    await this.waiting.assertNoneOpenOf(customerId);
  }

  async merged(customerId: string, duplicateIds: readonly string[]): Promise<MovedRecord[]> {
    const notes = await this.notes.move(customer(customerId), duplicateIds);
    const tasks = await this.tasks.move(customer(customerId), duplicateIds);
    const waiting = await this.waiting.move(customerId, duplicateIds);
    return [
      ...notes.map(({ id, formerId }) => ({ type: 'note', id, customerId: formerId }) as const),
      ...tasks.map(({ id, formerId }) => ({ type: 'task', id, customerId: formerId }) as const),
      ...waiting.map(({ id, formerId }) => ({ type: 'waiting_entry', id, customerId: formerId }) as const),
    ];
  }

  async separated(customerId: string, records: readonly MovedRecord[]): Promise<void> {
    const formerly = (moved: MovedRecord['type']) =>
      records.filter(({ type }) => type === moved).map(({ id, customerId: formerId }) => ({ id, formerId }));
    await this.notes.moveBack(customer(customerId), formerly('note'));
    await this.tasks.moveBack(customer(customerId), formerly('task'));
    await this.waiting.moveBack(customerId, formerly('waiting_entry'));
  }
}
