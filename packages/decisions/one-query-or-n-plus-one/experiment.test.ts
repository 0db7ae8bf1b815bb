import { describeDecision } from '../frame/describe-decision.ts';
import experiment from './experiment.ts';

describeDecision(experiment);
