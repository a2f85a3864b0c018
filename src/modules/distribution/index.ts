export { AllotmentSales } from './allotments/allotment-sales.service.js';
export { ChannelChoice } from './channels/channel-choice.service.js';
export { DistributionModule } from './distribution.module.js';
export { distributionEvents } from './events.js';
