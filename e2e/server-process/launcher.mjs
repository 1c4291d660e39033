// Starts the server as `svc serve` does, without the command line.
import { serveUntilSignal, startServer } from '@svc/server';

await serveUntilSignal(await startServer());
