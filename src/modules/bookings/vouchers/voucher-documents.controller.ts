import { Controller, Get, StreamableFile } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { ExpensiveRead } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, setResponseHeader } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { type VoucherFile, VoucherDocumentsService } from './voucher-documents.service.js';

const PDF = {
  description: 'The vouchers to print',
  content: { 'application/pdf': { schema: { type: 'string', format: 'binary', description: 'A PDF on A4 pages.' } } },
} as const;

@ApiGroup('Bookings')
@Controller('/v1/admin/bookings/:bookingId')
export class VoucherDocumentsController {
  constructor(private readonly documents: VoucherDocumentsService) {}

  /**
   * Get the vouchers of a booking as a PDF
   *
   * @remarks Returns all valid vouchers of the booking, each with its code as a QR code and as a text, in the language of the customer if
   * documents exist in it. The data is that of now: after a move it shows the new time. At most 200 vouchers.
   */
  @Get('voucher-document')
  @ExpensiveRead()
  @ComputedNow()
  @RequireScope('bookings:read')
  @Refuses({ 404: ['not_found'], 409: ['no_valid_voucher'], 422: ['too_many_vouchers'] })
  @ApiOkResponse(PDF)
  async getOfBooking(@PathId('book', 'bookingId', 6) bookingId: string): Promise<StreamableFile> {
    return pdf(await this.documents.render({ bookingId }));
  }

  /**
   * Get a voucher as a PDF
   *
   * @remarks Returns one voucher with its code as a QR code and as a text. A void voucher is rejected.
   */
  @Get('vouchers/:voucherId/document')
  @ExpensiveRead()
  @ComputedNow()
  @RequireScope('bookings:read')
  @Refuses({ 404: ['not_found'], 409: ['voucher_void'] })
  @ApiOkResponse(PDF)
  async get(
    @PathId('book', 'bookingId', 6) bookingId: string,
    @PathId('vchr', 'voucherId') voucherId: string,
  ): Promise<StreamableFile> {
    return pdf(await this.documents.render({ bookingId, voucherId }));
  }
}

function pdf({ bytes, name }: VoucherFile): StreamableFile {
  setResponseHeader('Cache-Control', 'no-store');
  return new StreamableFile(bytes, { type: 'application/pdf', disposition: `attachment; filename="${name}"` });
}
