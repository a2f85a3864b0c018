import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { Env } from '../../platform/config/env.js';
import { Database } from '../../platform/database/database.js';
import { Listens } from '../../platform/discovery/listeners.js';
import { daysAfter } from '../../platform/time/calendar.js';
import { PayloadErasuresService } from '../action-ledger/index.js';
import { bookingIdsOf, type HeldData, latestOf, type Person, PersonalDataHolder } from '../customers/index.js';
import { BulkOperationsRepository } from './bulk-operations/bulk-operations.repository.js';
import { ImportsRepository } from './imports/imports.repository.js';
import { RoomingRepository } from './rooming/rooming.repository.js';
import { WaitingEntriesService } from './waiting-list/waiting-entries.service.js';

const OF_PERSON = `(subject_type = 'customer' and subject_id = any($1) or subject_type = 'booking' and subject_id = any($2)
  or subject_type = 'invoice' and subject_id in (select id from invoices where booking_id = any($2)))`;
/** A bulk operation is cancelled after a pause of 30 days, and deleted 90 days later. */
const OPEN_OPERATION_DAYS = 120;
const REASON = 'The data of the customer was erased on request';

/**
 * Collects and erases what the desk holds about a person: notes and tasks, also about bookings and invoices of the person, rooms,
 * waiting entries, lines of files that were not imported and contain an e-mail address of the person, and the parameters of bulk
 * operations about the person or a booking.
 */
@Injectable()
@Listens(PersonalDataHolder, 60)
export class DeskData implements PersonalDataHolder {
  readonly module = 'desk';

  constructor(
    private readonly database: Database,
    private readonly rooming: RoomingRepository,
    private readonly waiting: WaitingEntriesService,
    private readonly imports: ImportsRepository,
    private readonly bulkOperations: BulkOperationsRepository,
    private readonly payloads: PayloadErasuresService,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  async collect(person: Person): Promise<HeldData[]> {
    const subjects = [person.customerIds, bookingIdsOf(person)];
    const notes = await this.database.query<object>(
      `select subject_type as "subjectType", subject_id as "subjectId", text, created_at as "createdAt",
         (select array_agg(revision.text order by revision.version) from note_revisions revision
          where revision.note_id = note.id) as "formerTexts"
       from notes note where ${OF_PERSON} order by id`,
      subjects,
    );
    const tasks = await this.database.query<object>(
      `select subject_type as "subjectType", subject_id as "subjectId", title, status, created_at as "createdAt"
       from tasks where ${OF_PERSON} and title <> 'Erased task' order by id`,
      subjects,
    );
    const waiting = (await this.waiting.listOf(person.customerIds)).map(
      ({ departureId, productId, from, to, units, quantity, note, status, createdAt }) => {
        return { departureId, productId, from, to, units, quantity, note, status, createdAt };
      },
    );
    const stays = await this.rooming.staysOf(person);
    const rooms = (isPast: boolean) =>
      stays.filter((stay) => stay.isPast === isPast).map(({ isPast: _, ...stay }) => stay);
    const ahead = rooms(false);
    const keptUntil = latestOf(ahead.map((stay) => daysAfter(stay.departureEnd, this.env.travelRetentionDays)));
    const open = await this.bulkOperations.listAbout(subjects.flat(), { areEnded: false });
    const ended = await this.bulkOperations.listAbout(subjects.flat(), { areEnded: true });
    const openUntil = open.length > 0 ? daysAfter(this.clock.today(), OPEN_OPERATION_DAYS) : null;
    return [
      { dataClass: 'messages', kind: 'open bulk operations', keptUntil: openUntil, records: open },
      { dataClass: 'messages', kind: 'bulk operations', keptUntil: null, records: ended },
      { dataClass: 'travel', kind: 'rooms ahead', keptUntil, records: ahead },
      { dataClass: 'travel', kind: 'rooms', keptUntil: null, records: rooms(true) },
      { dataClass: 'contact', kind: 'notes', keptUntil: null, records: notes },
      { dataClass: 'contact', kind: 'tasks', keptUntil: null, records: tasks },
      { dataClass: 'contact', kind: 'waiting entries', keptUntil: null, records: waiting },
      {
        dataClass: 'contact',
        kind: 'lines to import',
        keptUntil: null,
        records: await this.imports.linesWith(person.emails),
      },
    ];
  }

  /**
   * Notes are deleted with their revisions; tasks keep their state. The person leaves rooms whose departure has ended, and the waiting
   * list.
   */
  async erase(person: Person): Promise<number> {
    const subjects = [person.customerIds, bookingIdsOf(person)];
    const notes = await this.database.query<{ id: string }>(
      `delete from notes where ${OF_PERSON} returning id`,
      subjects,
    );
    const tasks = await this.database.query<{ id: string }>(
      `update tasks set title = 'Erased task', version = version + 1, updated_at = $3
       where ${OF_PERSON} and title <> 'Erased task' returning id`,
      [...subjects, this.clock.now()],
    );
    const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
    await this.payloads.eraseAbout('note', idsOf(notes), REASON);
    await this.payloads.eraseAbout('task', idsOf(tasks), REASON);
    const waiting = await this.waiting.eraseOf(person.customerIds);
    const lines = await this.imports.eraseLinesWith(person.emails, this.clock.now());
    const operations = await this.bulkOperations.eraseAbout(subjects.flat(), this.clock.now());
    return notes.length + tasks.length + waiting + lines + operations + (await this.rooming.leavePast(person));
  }
}
