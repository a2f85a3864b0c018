import { Body, Controller, Get, Put, Query, StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { respond } from '../../../platform/http/respond.js';
import { ComputedNow, setResponseHeader, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { renderInThread } from '../../../platform/pdf/pdf-threads.js';
import {
  ReplaceRooming,
  RoomingEnvelope,
  RoomingListEnvelope,
  RoomingListQuery,
  RoomingResponse,
  RoomResponse,
} from './rooming.dto.js';
import { roomingListCsv } from './rooming-list-csv.js';
import type { Rooming } from './rooming.repository.js';
import { RoomingService } from './rooming.service.js';

const CSV = {
  type: 'string',
  format: 'binary',
  description: 'People by room as RFC 4180 in UTF-8 with a header line.',
};
const PDF = { type: 'string', format: 'binary', description: 'The rooming list to print.' };

const THREAD = new URL('./rooming-list-thread.js', import.meta.url);

@ApiGroup('Departures')
@Controller('/v1/admin/operations/departures/:id')
export class RoomingController {
  constructor(private readonly rooming: RoomingService) {}

  /**
   * Get the rooms of a departure
   *
   * @remarks Returns the rooms in the order in which they were written, with the IDs of their travelers. `ETag` is the version of the
   * list, which also rises when a traveler leaves a room.
   */
  @Get('rooming')
  @RequireScope('operations:read')
  async get(@PathId('dep', 'id', 9) id: string): Promise<RoomingEnvelope> {
    const rooming = await this.rooming.get(id);
    return tagged(rooming, { data: toRooming(rooming) });
  }

  /**
   * Replace the rooms of a departure
   *
   * @remarks Makes these the rooms of the departure, in one transaction. Each traveler needs a seat on the departure that is not
   * cancelled, and has at most one room in a night, also across departures. The errors name the index of the room. A
   * traveler who loses the seat leaves the room. `If-Match` takes the version of the list.
   */
  @Put('rooming')
  @RequireScope('operations:write')
  @Mutates('operations.rooming.replace', {
    irreversible: 'The ledger keeps no notes, and travelers may have lost their seats: replace the rooms again',
  })
  @BodyExample({
    rooms: [
      {
        ...{ from: '2027-04-01', to: '2027-04-03', type: 'double', label: '101', note: 'Quiet side' },
        travelerIds: ['trav_01k0dem000e000000000000001'],
      },
      { from: '2027-04-01', to: '2027-04-03', type: 'dorm', capacity: 8 },
    ],
  })
  @Refuses({ 404: ['not_found'], 409: ['room_full', 'traveler_has_room'] })
  async replace(
    @PathId('dep', 'id', 9) id: string,
    @Body() { rooms }: ReplaceRooming,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<RoomingEnvelope> {
    const rooming = await this.rooming.replace(id, rooms, expected);
    return tagged(rooming, { data: toRooming(rooming) });
  }

  /**
   * Get the rooming list of a departure
   *
   * @remarks Returns people without a room, rooms with their people, and totals per night and type, read at one moment. Also requires
   * the scope `bookings:read`. A person with a room for some nights only is not listed as one without a room. At most
   * 2,000 people.
   */
  @Get('rooming-list')
  @ExpensiveRead()
  @ComputedNow()
  @RequireScope('operations:read')
  @Refuses({ 422: ['manifest_too_large'] })
  @ApiExtraModels(RoomingListEnvelope)
  @ApiOkResponse({
    description: 'The people of the departure by room',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(RoomingListEnvelope) } },
      'text/csv': { schema: CSV },
      'application/pdf': { schema: PDF },
    },
  })
  async getList(
    @PathId('dep', 'id', 9) id: string,
    @Query() { format, ...query }: RoomingListQuery,
  ): Promise<RoomingListEnvelope | StreamableFile> {
    const language = format === 'pdf' ? await this.rooming.languageOf(query) : 'en';
    const list = await this.rooming.list(id, language);
    setResponseHeader('Cache-Control', 'no-store');
    const file = `rooming-list-${list.localStart.slice(0, 10)}`;
    if (format === 'csv') {
      return new StreamableFile(Buffer.from(roomingListCsv(list)), {
        type: 'text/csv; charset=utf-8; header=present',
        disposition: `attachment; filename="${file}.csv"`,
      });
    } else if (format === 'pdf') {
      const head = await this.rooming.headOf(list, language);
      return new StreamableFile(await renderInThread(THREAD, { language, head, list }), {
        type: 'application/pdf',
        disposition: `attachment; filename="${file}.pdf"`,
      });
    } else {
      return { data: list };
    }
  }
}

function toRooming({ rooms, ...rooming }: Rooming): RoomingResponse {
  return respond(RoomingResponse, { ...rooming, rooms: rooms.map((room) => respond(RoomResponse, room)) });
}
