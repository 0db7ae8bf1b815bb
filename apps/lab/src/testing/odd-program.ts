import { serveRun } from '../runs/serve-run.ts';
import { oddExperiments } from './odd-experiments.ts';

serveRun(oddExperiments);
