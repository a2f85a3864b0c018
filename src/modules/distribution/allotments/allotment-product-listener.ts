import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { ProductListener } from '../../products/index.js';
import { AllotmentsService } from './allotments.service.js';

/** Prevents archiving a product with live allotments. Called after operations has locked the product. */
@Injectable()
@Listens(ProductListener, 20)
export class AllotmentProductListener implements ProductListener {
  constructor(private readonly allotments: AllotmentsService) {}

  async archiving(productId: string): Promise<void> {
    await this.allotments.assertNoneLive(productId);
  }
}
