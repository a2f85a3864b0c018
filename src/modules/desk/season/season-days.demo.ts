import { Injectable } from '@nestjs/common';
import { demoId } from '../../../platform/ids/id.js';
import { DemoSeason } from '../../../platform/provisioning/provisioning-decorators.js';
import { CallOffRunner } from '../call-offs/call-off-runner.js';
import type { CreateCallOff } from '../call-offs/call-off.dto.js';
import { CallOffsService } from '../call-offs/call-offs.service.js';
import { ManifestsService } from '../manifests/manifests.service.js';
import { NotesService } from '../notes/notes.service.js';
import { TasksService } from '../tasks/tasks.service.js';
import { WaitingEntriesService } from '../waiting-list/waiting-entries.service.js';
import {
  bookingOf,
  callOffId,
  callOffItem,
  customerOf,
  departureOf,
  type DepartureName,
  unitOf,
  WAITING,
  waitingOf,
} from './season-plan.js';

const OWNER = demoId('user', 1);
/** Past departures, and the number of guests who did not come. */
const DEPARTED: readonly [departure: DepartureName, missing: number][] = [
  ['boat-5', 0],
  ['birds-2', 1],
  ['boat-1', 0],
];
/** The first customer moves to another morning, the second one keeps the money as a credit, the third one gets it back. */
const STORM: CreateCallOff = {
  ...{
    reasonCode: 'weather',
    reason: 'Storm warning for the morning',
    default: { action: 'cancel', settle: 'refund' },
  },
  overrides: [
    { bookingId: bookingOf(19), action: 'move', targetDepartureId: departureOf('birds5') },
    { bookingId: bookingOf(20), action: 'cancel', settle: 'credit' },
  ],
  message: { note: 'We are sorry. The wind will be too strong for our boats.' },
};

/** What happened in the demo season: check-ins, a called-off departure, waiting customers, notes and tasks. */
@Injectable()
export class SeasonDaysDemo {
  constructor(
    private readonly manifests: ManifestsService,
    private readonly callOffs: CallOffsService,
    private readonly runner: CallOffRunner,
    private readonly waiting: WaitingEntriesService,
    private readonly notes: NotesService,
    private readonly tasks: TasksService,
  ) {}

  @DemoSeason(40, 'check-ins, a storm and a waiting list')
  async loadDays(): Promise<void> {
    for (const [departure, missing] of DEPARTED) await this.checkIn(departureOf(departure), missing);
    await this.callOffs.create(departureOf('birds3'), STORM, { callOff: callOffId, item: callOffItem });
    await this.runner.run(callOffId);
    for (const [index, { customer, adults, note }] of WAITING.entries()) {
      const units = [{ unitId: unitOf('boat', 0), quantity: adults }];
      const entry = { departureId: departureOf('boat2'), customerId: customerOf(customer), units, note };
      await this.waiting.create(entry, waitingOf(index));
    }
  }

  @DemoSeason(50, 'notes and tasks')
  async loadNotes(): Promise<void> {
    const gate = 'The gate of pier 3 is locked until 08:30; the key is at the harbour office.';
    const note = {
      subjectType: 'departure',
      subjectId: departureOf('boat0'),
      text: gate,
      visibility: 'guide',
    } as const;
    await this.notes.create({ ...note, pinned: true }, { authorId: OWNER });
    const caller = { subjectType: 'customer', subjectId: customerOf(18) } as const;
    await this.notes.create({ ...caller, text: 'Plans a week with 20 members next May' }, { authorId: OWNER });
    await this.tasks.create({ ...caller, title: 'Send the society an offer for May', assigneeId: OWNER });
    const debtor = { subjectType: 'booking', subjectId: bookingOf(8) } as const;
    await this.tasks.create({ ...debtor, title: 'Ask for the payment of the sunrise tour' });
  }

  private async checkIn(departureId: string, missing: number): Promise<void> {
    const { people } = await this.manifests.get(departureId, {});
    const seats = people.map(({ itemId, seat }) => ({ itemId, seat }));
    const arrived = seats.slice(0, seats.length - missing);
    await this.manifests.checkIn(departureId, { state: 'arrived', seats: arrived });
    if (missing > 0) {
      await this.manifests.checkIn(departureId, { state: 'no_show', seats: seats.slice(arrived.length) });
    }
  }
}
