using System.CommandLine;
using System.Runtime.InteropServices;
using Raceway.Verify;
using Raceway.Verify.Cli;

using var interrupt = new CancellationTokenSource();

void Stop(PosixSignalContext context)
{
    context.Cancel = !interrupt.IsCancellationRequested;
    interrupt.Cancel();
}

using PosixSignalRegistration onInterrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration onTerminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);

var root = new RootCommand("Runs the proof of the ring and the pipeline, and proves that its tests can fail.")
{
    new RunCommand(),
    new MutantsCommand(),
    new LineCommand(),
};
var configuration = new InvocationConfiguration
{
    EnableDefaultExceptionHandler = false,
    ProcessTerminationTimeout = null, // signals are the program's own business
};
try
{
    return await root.Parse(args).InvokeAsync(configuration, interrupt.Token);
}
catch (OperationCanceledException) when (interrupt.IsCancellationRequested)
{
    Console.Error.WriteLine("verify: interrupted.");
    return ExitCode.Interrupted;
}
catch (VerifyException error)
{
    Console.Error.WriteLine($"verify: {error.Message}");
    return ExitCode.Failed;
}
