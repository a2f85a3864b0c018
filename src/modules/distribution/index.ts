export { DistributionModule } from './distribution.module.js';
