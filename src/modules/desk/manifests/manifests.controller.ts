import { Body, Controller, Get, HttpCode, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { assertScope, RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathId } from '../../../platform/http/path-id.js';
import { renderInThread } from '../../../platform/pdf/pdf-threads.js';
import { ComputedNow, setResponseHeader } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { manifestCsv } from './manifest-csv.js';
import { CheckIn, CheckInEnvelope, ManifestEnvelope, ManifestQuery } from './manifest.dto.js';
import { ManifestsService } from './manifests.service.js';

const CSV = { type: 'string', format: 'binary', description: 'The people as RFC 4180 in UTF-8 with a header line.' };
const PDF = {
  type: 'string',
  format: 'binary',
  description: 'The manifest as a list to print, with the columns of the JSON.',
};

const THREAD = new URL('./manifest-thread.js', import.meta.url);

@ApiGroup('Departures')
@Controller('/v1/admin/operations/departures/:id')
export class ManifestsController {
  constructor(private readonly manifests: ManifestsService) {}

  /**
   * Get the manifest of a departure
   *
   * @remarks Returns one entry per person, read in one statement: travelers with their names, and guests whose names are not known.
   * People of draft bookings, which take seats too, are provisional. The open amount of the booking needs the scope
   * `finance:receivables`, sensitive columns need `customers:sensitive`, and the action ledger records who read them. At most
   * 2,000 people.
   */
  @Get('manifest')
  @ExpensiveRead()
  @ComputedNow()
  @RequireScope('operations:read')
  @Refuses({ 409: ['sealed_value_unreadable', 'vault_missing', 'vault_archived'], 422: ['manifest_too_large'] })
  @ApiExtraModels(ManifestEnvelope)
  @ApiOkResponse({
    description: 'The departure and its people',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ManifestEnvelope) } },
      'text/csv': { schema: CSV },
      'application/pdf': { schema: PDF },
    },
  })
  async get(@PathId('dep') id: string, @Query() query: ManifestQuery): Promise<ManifestEnvelope | StreamableFile> {
    if (query.columns?.some((column) => column !== 'answers')) assertScope('customers:sensitive');
    const language = query.format === 'pdf' ? await this.manifests.languageOf(query) : 'en';
    const manifest = await this.manifests.get(id, query, language);
    setResponseHeader('Cache-Control', 'no-store');
    const file = `manifest-${manifest.localStart.slice(0, 10)}`;
    if (query.format === 'csv') {
      return new StreamableFile(Buffer.from(manifestCsv(manifest.people)), {
        type: 'text/csv; charset=utf-8; header=present',
        disposition: `attachment; filename="${file}.csv"`,
      });
    } else if (query.format === 'pdf') {
      const head = await this.manifests.headOf(manifest, language);
      return new StreamableFile(await renderInThread(THREAD, { language, head, manifest }), {
        type: 'application/pdf',
        disposition: `attachment; filename="${file}.pdf"`,
      });
    } else {
      return { data: manifest };
    }
  }

  /**
   * Check people in
   *
   * @remarks Records who has arrived and who has not, by traveler or by seat. The last state counts; a repetition changes nothing.
   * No money moves. Rejected if one of them has no seat on the departure.
   */
  @Post('check-ins')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.departure.check_in', { irreversible: 'The last state counts: record the former one' })
  @BodyExample({ state: 'arrived', travelerIds: ['trav_01k0dem000e000000000000001'] })
  @Refuses({ 404: ['not_found'], 422: ['manifest_too_large'] })
  async checkIn(@PathId('dep', 'id', 9) id: string, @Body() body: CheckIn): Promise<CheckInEnvelope> {
    return { data: await this.manifests.checkIn(id, body) };
  }
}
