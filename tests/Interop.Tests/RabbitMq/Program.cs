using Raceway.Interop.Tests.RabbitMq;
using Xunit.Runner.InProc.SystemConsole;

// `worker …` is a process that tests kill. Everything else is for the runner of the tests.
return args is [WorkerProcess.Word, .. string[] rest] ? await WorkerProcess.MainAsync(rest) : await ConsoleRunner.Run(args);
