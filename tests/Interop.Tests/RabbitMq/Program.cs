using Raceway.Interop.Tests.RabbitMq;

// The tests are run by their host, not by this; a worker that is killed has to be a process of its own.
return await WorkerProcess.MainAsync(args);
