import { Injectable } from '@nestjs/common';
import { AllotmentsService } from '../../distribution/index.js';
import { DeparturesService } from '../../operations/index.js';
import type { Connection } from '../connections/connection.entity.js';
import { unprocessableOrder } from './octo-errors.js';
import { placeUnits, vacanciesOf } from './vacancies.js';

interface PlacedUnit {
  allotmentId: string | null;
  seats: number;
}

/**
 * The seats of reservations, by the statements with which all units of departures move. Callers open the transaction and have locked
 * the reservation; each method locks the departure first, so that its slots do not change meanwhile.
 */
@Injectable()
export class HeldUnitsService {
  constructor(
    private readonly departures: DeparturesService,
    private readonly allotments: AllotmentsService,
  ) {}

  /** Takes the seats from the slot of the channel and then from the pool, and notes at each unit where. */
  async hold(
    departureId: string,
    units: readonly PlacedUnit[],
    { connection, isTest }: { connection: Connection; isTest: boolean },
  ): Promise<void> {
    const [departure] = await this.departures.lock([departureId]);
    if (!departure) throw new Error(`The departure ${departureId} was deleted`);
    const [slot = null] = await this.allotments.listSlotsOf(connection.channelId, [departureId]);
    const places = placeUnits(units, vacanciesOf(connection, departure, slot));
    if (!places) throw unprocessableOrder('The availability has too few vacancies');
    for (const [unit, allotmentId] of places) unit.allotmentId = allotmentId;
    if (isTest) return;
    for (const [allotmentId, seats] of seatsByPlace(units)) {
      if (allotmentId !== null) await this.allotments.hold({ allotmentId, departureId }, seats);
      else await this.departures.allocate(departureId, seats, { from: 'pool', as: 'held' });
    }
  }

  async release(departureId: string, units: readonly PlacedUnit[]): Promise<void> {
    await this.departures.lock([departureId]);
    for (const [allotmentId, seats] of seatsByPlace(units)) {
      if (allotmentId !== null) await this.allotments.releaseHeld({ allotmentId, departureId }, seats);
      else await this.departures.release(departureId, seats, { to: 'pool', from: 'held' });
    }
  }
}

function seatsByPlace(units: readonly PlacedUnit[]): Map<string | null, number> {
  const seats = new Map<string | null, number>();
  for (const unit of units) seats.set(unit.allotmentId, (seats.get(unit.allotmentId) ?? 0) + unit.seats);
  return seats;
}
