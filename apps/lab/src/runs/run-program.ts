import { experiments } from '@minitickets/decisions/experiments';
import { serveRun } from './serve-run.ts';

serveRun(experiments);
